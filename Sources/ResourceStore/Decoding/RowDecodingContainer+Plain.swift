/// The plain types, decoded in place, and their optionals, which would otherwise be looked for three times.
extension RowDecodingContainer {
  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
    try integer(Int64.self, key) != 0
  }

  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
    try isPresent(key) ? decode(type, forKey: key) : nil
  }

  func decode(_ type: String.Type, forKey key: Key) throws -> String {
    try string(key)
  }

  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
    try isPresent(key) ? decode(type, forKey: key) : nil
  }

  func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
    try double(key)
  }

  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
    try isPresent(key) ? decode(type, forKey: key) : nil
  }

  func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
    try Float(double(key))
  }

  func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
    try isPresent(key) ? decode(type, forKey: key) : nil
  }

  func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
    try integer(type, key)
  }

  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
    try isPresent(key) ? decode(type, forKey: key) : nil
  }

  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 {
    try integer(type, key)
  }

  func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? {
    try isPresent(key) ? decode(type, forKey: key) : nil
  }

  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 {
    try integer(type, key)
  }

  func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? {
    try isPresent(key) ? decode(type, forKey: key) : nil
  }

  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 {
    try integer(type, key)
  }

  func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? {
    try isPresent(key) ? decode(type, forKey: key) : nil
  }

  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
    try integer(type, key)
  }

  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
    try isPresent(key) ? decode(type, forKey: key) : nil
  }

  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt {
    try integer(type, key)
  }

  func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? {
    try isPresent(key) ? decode(type, forKey: key) : nil
  }

  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 {
    try integer(type, key)
  }

  func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? {
    try isPresent(key) ? decode(type, forKey: key) : nil
  }

  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 {
    try integer(type, key)
  }

  func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
    try isPresent(key) ? decode(type, forKey: key) : nil
  }

  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 {
    try integer(type, key)
  }

  func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
    try isPresent(key) ? decode(type, forKey: key) : nil
  }

  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 {
    try integer(type, key)
  }

  func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
    try isPresent(key) ? decode(type, forKey: key) : nil
  }
}

// As a rule the key is expected, and a look at the cell is enough. That is all that is done here. Whatever else there is
// to do ends with a call, so that nothing has to be put aside before it is known which way it goes.
extension RowDecodingContainer {
  @inline(__always)
  private func integer<T: FixedWidthInteger>(_ type: T.Type, _ key: Key) throws -> T {
    guard cursor.expects(key), let value = cursor.next.exactInteger(type) else {
      let bits = try bits(key) { Int64(truncatingIfNeeded: try $0.integer(type, in: $1)) }
      return T(truncatingIfNeeded: bits)
    }
    cursor.advance()
    return value
  }

  @inline(__always)
  private func double(_ key: Key) throws -> Double {
    guard cursor.expects(key), let value = cursor.next.exactDouble else {
      return try anyDouble(key)
    }
    cursor.advance()
    return value
  }

  @inline(__always)
  private func string(_ key: Key) throws -> String {
    guard cursor.expects(key), cursor.next.isText else { return try anyText(key) }
    let cell = cursor.next
    cursor.advance()
    return cell.text(cursor.pointee.bytes)
  }

  /// The bits of any whole number: a number of a type that isn't known here couldn't be returned in a register.
  @inline(never)
  private func bits(
    _ key: Key, _ integer: (RowDecoder, RowCell) throws -> Int64
  ) throws -> Int64 { try integer(row, cell(key)) }

  @inline(never)
  private func anyDouble(_ key: Key) throws -> Double { try row.double(in: cell(key)) }

  @inline(never)
  private func anyText(_ key: Key) throws -> String { try row.text(in: cell(key)) }
}
