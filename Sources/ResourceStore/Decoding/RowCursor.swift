#if canImport(SQLite3)
  internal import SQLite3
#else
  internal import CResourceSQLite
#endif

/// How far the row at which a statement stands has been read.
///
/// It lies where the containers point. The standard library copies a container for each column, and retaining and
/// releasing something with each copy costs as much as reading a number. What they point at lives as long as the
/// connection, so that even a container that somebody keeps, though its row is gone, finds something: no columns.
struct RowCursor {
  /// The statement, while it stands at a row. Without one, SQLite says that all columns are `NULL`.
  var statement: OpaquePointer?
  /// The column after the one that was read last, which is the next one as a rule.
  var expected = 0
  /// The type of the keys that are remembered.
  var keyType: ObjectIdentifier?
  /// For each column, the key by which it was found before, and at the end one more that is no key.
  var keys: UnsafeMutablePointer<Int16>

  /// What stands where no key is remembered.
  static let noKey: Int16 = -1
}

extension UnsafeMutablePointer<RowCursor> {
  /// The cell of a key that was found in the expected column before.
  ///
  /// A key of one byte, which is what an enumeration is, needn't be asked for its name then: the same byte is the
  /// same key.
  @inline(__always)
  func expectedCell<Key: CodingKey>(_ key: Key) -> Cell? {
    guard pointee.keyType == ObjectIdentifier(Key.self) else { return nil }
    let expected = pointee.expected
    guard pointee.keys[expected] == Int16(unsafeBitCast(key, to: UInt8.self)) else { return nil }
    return cell(at: expected)
  }

  /// Remembers the key by which a column was found.
  func remember<Key: CodingKey>(_ key: Key, _ cell: Cell) {
    guard pointee.keyType == ObjectIdentifier(Key.self) else { return }
    pointee.keys[Int(cell.column)] = Int16(unsafeBitCast(key, to: UInt8.self))
  }

  /// The cell in a column, after which the next column is expected.
  @inline(__always)
  func cell(at column: Int) -> Cell {
    pointee.expected = column + 1
    let column = Int32(truncatingIfNeeded: column)
    return Cell(handle: sqlite3_column_value(pointee.statement, column), column: column)
  }
}
