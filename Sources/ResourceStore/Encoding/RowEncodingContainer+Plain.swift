/// The plain types. The forms for optionals are here, too, because their defaults don't call for `nil`,
/// and then a column that is `nil` in the first row wouldn't be learned.
extension RowEncodingContainer {
  func encode(_ value: Bool, forKey key: Key) throws {
    try row.encode(integer: value ? 1 : 0, key.stringValue)
  }

  func encodeIfPresent(_ value: Bool?, forKey key: Key) throws {
    try row.encode(integer: value.map { $0 ? 1 : 0 }, key.stringValue)
  }

  func encode(_ value: String, forKey key: Key) throws {
    try row.encode(text: value, key.stringValue)
  }

  func encodeIfPresent(_ value: String?, forKey key: Key) throws {
    try row.encode(text: value, key.stringValue)
  }

  func encode(_ value: Double, forKey key: Key) throws {
    try row.encode(real: value, key.stringValue)
  }

  func encodeIfPresent(_ value: Double?, forKey key: Key) throws {
    try row.encode(real: value, key.stringValue)
  }

  func encode(_ value: Float, forKey key: Key) throws {
    try row.encode(real: Double(value), key.stringValue)
  }

  func encodeIfPresent(_ value: Float?, forKey key: Key) throws {
    try row.encode(real: value.map { Double($0) }, key.stringValue)
  }

  func encode(_ value: Int, forKey key: Key) throws {
    try row.encode(integer: Int64(value), key.stringValue)
  }

  func encodeIfPresent(_ value: Int?, forKey key: Key) throws {
    try row.encode(integer: value.map { Int64($0) }, key.stringValue)
  }

  func encode(_ value: Int8, forKey key: Key) throws {
    try row.encode(integer: Int64(value), key.stringValue)
  }

  func encodeIfPresent(_ value: Int8?, forKey key: Key) throws {
    try row.encode(integer: value.map { Int64($0) }, key.stringValue)
  }

  func encode(_ value: Int16, forKey key: Key) throws {
    try row.encode(integer: Int64(value), key.stringValue)
  }

  func encodeIfPresent(_ value: Int16?, forKey key: Key) throws {
    try row.encode(integer: value.map { Int64($0) }, key.stringValue)
  }

  func encode(_ value: Int32, forKey key: Key) throws {
    try row.encode(integer: Int64(value), key.stringValue)
  }

  func encodeIfPresent(_ value: Int32?, forKey key: Key) throws {
    try row.encode(integer: value.map { Int64($0) }, key.stringValue)
  }

  func encode(_ value: Int64, forKey key: Key) throws {
    try row.encode(integer: value, key.stringValue)
  }

  func encodeIfPresent(_ value: Int64?, forKey key: Key) throws {
    try row.encode(integer: value, key.stringValue)
  }

  func encode(_ value: UInt8, forKey key: Key) throws {
    try row.encode(integer: Int64(value), key.stringValue)
  }

  func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws {
    try row.encode(integer: value.map { Int64($0) }, key.stringValue)
  }

  func encode(_ value: UInt16, forKey key: Key) throws {
    try row.encode(integer: Int64(value), key.stringValue)
  }

  func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws {
    try row.encode(integer: value.map { Int64($0) }, key.stringValue)
  }

  func encode(_ value: UInt32, forKey key: Key) throws {
    try row.encode(integer: Int64(value), key.stringValue)
  }

  func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws {
    try row.encode(integer: value.map { Int64($0) }, key.stringValue)
  }

  func encode(_ value: UInt, forKey key: Key) throws {
    try row.encode(unsigned: value, key.stringValue)
  }

  func encodeIfPresent(_ value: UInt?, forKey key: Key) throws {
    try row.encode(unsigned: value, key.stringValue)
  }

  func encode(_ value: UInt64, forKey key: Key) throws {
    try row.encode(unsigned: value, key.stringValue)
  }

  func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws {
    try row.encode(unsigned: value, key.stringValue)
  }
}
