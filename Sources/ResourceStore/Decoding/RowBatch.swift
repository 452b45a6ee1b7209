#if canImport(SQLite3)
  internal import SQLite3
#else
  internal import CResourceSQLite
#endif

/// The next rows of a statement, copied out of it.
///
/// SQLite and what makes models take turns this way, each for many rows. If they did with every row, they would drive
/// each other's code out of the processor's cache.
struct RowBatch: ~Copyable {
  /// How many rows there are.
  private(set) var count = 0
  private let width: Int
  private let cells: UnsafeMutablePointer<RowCell>
  /// The texts and blobs of all rows, one after the other.
  private var content: UnsafeMutableRawPointer
  private var capacity = 2 * Self.limit.bytes
  private var used = 0

  /// How much is enough: it shall fit in the nearest cache.
  private static let limit = (rows: 32, bytes: 8192)

  /// Makes place for rows of so many columns.
  init(width: Int) {
    self.width = width
    cells = .allocate(capacity: max(1, width * Self.limit.rows))
    content = .allocate(byteCount: capacity, alignment: 1)
  }

  deinit {
    cells.deallocate()
    content.deallocate()
  }
}

extension RowBatch {
  /// The cells of a row, as many as there are columns.
  func row(_ index: Int) -> UnsafePointer<RowCell> { UnsafePointer(cells + index * width) }

  /// Where the texts and blobs begin, until the batch is filled again.
  var bytes: UnsafeRawPointer { UnsafeRawPointer(content) }

  /// Makes ready for rows of so many columns.
  mutating func begin(width: Int) {
    count = 0
    if width != self.width { self = RowBatch(width: width) }
  }

  /// Lets go of the rows, and of a place that only large ones needed.
  mutating func finish() {
    count = 0
    if capacity > 2 * Self.limit.bytes { self = RowBatch(width: width) }
  }

  /// Takes rows off a statement that stands at one, in place of those that were there.
  ///
  /// - Returns: Whether there are more; then the statement stands at the first of those.
  /// - Throws: What the statement throws on its way to the next row.
  mutating func fill(from statement: Statement) throws -> Bool {
    (count, used) = (0, 0)
    repeat {
      let row = cells + count * width
      for column in 0..<width {
        row[column] = copy(statement.cell(at: Int32(truncatingIfNeeded: column)))
      }
      count += 1
      guard try statement.step() else { return false }
    } while count < Self.limit.rows && used < Self.limit.bytes
    return true
  }
}

extension RowBatch {
  @inline(__always)
  private mutating func copy(_ cell: Cell) -> RowCell {
    let kind = cell.kind
    switch kind {
    case SQLITE_INTEGER: return RowCell(kind: kind, bits: cell.integer)
    case SQLITE_FLOAT: return RowCell(kind: kind, bits: Int64(bitPattern: cell.real.bitPattern))
    case SQLITE_TEXT, SQLITE_BLOB:
      let bytes = kind == SQLITE_TEXT ? cell.textBytes : cell.blobBytes
      return RowCell(
        kind: kind, count: Int32(truncatingIfNeeded: bytes.count), bits: Int64(append(bytes)))
    default: return RowCell(kind: kind)
    }
  }

  /// Copies a text or a blob.
  ///
  /// - Returns: Where it begins.
  @inline(__always)
  private mutating func append(_ bytes: UnsafeRawBufferPointer) -> Int {
    let offset = used
    used += bytes.count
    if used > capacity { grow(keeping: offset) }
    if let start = bytes.baseAddress {
      (content + offset).copyMemory(from: start, byteCount: bytes.count)
    }
    return offset
  }

  @inline(never)
  private mutating func grow(keeping count: Int) {
    capacity = max(2 * capacity, used)
    let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 1)
    larger.copyMemory(from: content, byteCount: count)
    content.deallocate()
    content = larger
  }
}
