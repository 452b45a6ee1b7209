/// How far a row has been read.
///
/// It lies where the containers point. The standard library copies a container for each column, and retaining and
/// releasing something with each copy costs as much as reading a number. What they point at lives as long as the
/// connection, so that even a container that somebody keeps, though its row is gone, finds something: no columns.
struct RowCursor {
  /// The cells of the row, as many as there are names of columns.
  var row: UnsafePointer<RowCell>
  /// Where texts and blobs are.
  var bytes: UnsafeRawPointer
  /// The column after the one that was read last, which is the next one as a rule.
  var expected = 0
  /// The type of the keys that are remembered; its own type is none of keys.
  var keyType = ObjectIdentifier(RowCursor.self)
  /// For each column, the key by which it was found before, and at the end one more that is no key.
  var keys: UnsafeMutablePointer<Int16>

  /// What stands where no key is remembered.
  static let noKey: Int16 = -1
}

extension UnsafeMutablePointer<RowCursor> {
  /// Whether a key is the one by which the expected column was found before.
  ///
  /// A key of one byte, which is what an enumeration is, needn't be asked for its name then: the same byte is the
  /// same key.
  @inline(__always)
  func expects<Key: CodingKey>(_ key: Key) -> Bool {
    pointee.keyType == ObjectIdentifier(Key.self)
      && pointee.keys[pointee.expected] == byte(of: key)
  }

  /// The cell in the expected column.
  @inline(__always)
  var next: RowCell { pointee.row[pointee.expected] }

  /// Goes on to the next column.
  @inline(__always)
  func advance() { pointee.expected &+= 1 }

  /// Expects a column, and remembers the key by which it was found.
  func find<Key: CodingKey>(_ key: Key, at column: Int) {
    pointee.expected = column
    guard pointee.keyType == ObjectIdentifier(Key.self) else { return }
    pointee.keys[column] = byte(of: key)
  }

  @inline(__always)
  private func byte<Key: CodingKey>(of key: Key) -> Int16 {
    Int16(unsafeBitCast(key, to: UInt8.self))
  }
}
