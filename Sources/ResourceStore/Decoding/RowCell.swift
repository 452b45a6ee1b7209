internal import Foundation

#if canImport(SQLite3)
  internal import SQLite3
#else
  internal import CResourceSQLite
#endif

/// What a column holds in one row of a ``RowBatch``.
struct RowCell {
  /// What kind of value it is: `SQLITE_INTEGER` and so on.
  var kind: Int32
  /// How many bytes a text or a blob has.
  var count: Int32 = 0
  /// The whole number, the bits of the floating-point number, or where the text or the blob begins.
  var bits: Int64 = 0
}

extension RowCell {
  var isNull: Bool { kind == SQLITE_NULL }

  var isText: Bool { kind == SQLITE_TEXT }

  /// A whole number that it holds as such, and that fits.
  @inline(__always)
  func exactInteger<T: FixedWidthInteger>(_ type: T.Type) -> T? {
    kind == SQLITE_INTEGER ? T(exactly: bits) : nil
  }

  /// A floating-point number that it holds as such.
  @inline(__always)
  var exactDouble: Double? { kind == SQLITE_FLOAT ? real : nil }

  private var real: Double { Double(bitPattern: UInt64(bitPattern: bits)) }
}

// What needs to know where the texts and blobs of its batch are.
extension RowCell {
  func value(_ bytes: UnsafeRawPointer) -> StoredValue {
    switch kind {
    case SQLITE_INTEGER: .integer(bits)
    case SQLITE_FLOAT: .real(real)
    case SQLITE_TEXT: .text(text(bytes))
    case SQLITE_BLOB: .blob(Data(content(bytes)))
    default: .null
    }
  }

  @inline(__always)
  func text(_ bytes: UnsafeRawPointer) -> String {
    String(decoding: content(bytes), as: UTF8.self)
  }

  @inline(__always)
  private func content(_ bytes: UnsafeRawPointer) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: bytes + Int(bits), count: Int(count))
  }
}
