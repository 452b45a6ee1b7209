/// The plain types, decoded in place, and their optionals, which would otherwise be looked for three times.
extension RowDecodingContainer {
  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
    try row.bool(in: cell(key))
  }

  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
    guard let cell = row.full(key.stringValue) else { return nil }
    return try row.bool(in: cell)
  }

  func decode(_ type: String.Type, forKey key: Key) throws -> String {
    try row.string(in: cell(key))
  }

  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
    guard let cell = row.full(key.stringValue) else { return nil }
    return try row.string(in: cell)
  }

  func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
    try row.double(in: cell(key))
  }

  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
    guard let cell = row.full(key.stringValue) else { return nil }
    return try row.double(in: cell)
  }

  func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
    try Float(row.double(in: cell(key)))
  }

  func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
    guard let cell = row.full(key.stringValue) else { return nil }
    return try Float(row.double(in: cell))
  }

  func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
    try row.integer(type, in: cell(key))
  }

  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
    guard let cell = row.full(key.stringValue) else { return nil }
    return try row.integer(type, in: cell)
  }

  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 {
    try row.integer(type, in: cell(key))
  }

  func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? {
    guard let cell = row.full(key.stringValue) else { return nil }
    return try row.integer(type, in: cell)
  }

  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 {
    try row.integer(type, in: cell(key))
  }

  func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? {
    guard let cell = row.full(key.stringValue) else { return nil }
    return try row.integer(type, in: cell)
  }

  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 {
    try row.integer(type, in: cell(key))
  }

  func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? {
    guard let cell = row.full(key.stringValue) else { return nil }
    return try row.integer(type, in: cell)
  }

  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
    try row.integer(type, in: cell(key))
  }

  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
    guard let cell = row.full(key.stringValue) else { return nil }
    return try row.integer(type, in: cell)
  }

  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt {
    try row.integer(type, in: cell(key))
  }

  func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? {
    guard let cell = row.full(key.stringValue) else { return nil }
    return try row.integer(type, in: cell)
  }

  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 {
    try row.integer(type, in: cell(key))
  }

  func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? {
    guard let cell = row.full(key.stringValue) else { return nil }
    return try row.integer(type, in: cell)
  }

  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 {
    try row.integer(type, in: cell(key))
  }

  func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
    guard let cell = row.full(key.stringValue) else { return nil }
    return try row.integer(type, in: cell)
  }

  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 {
    try row.integer(type, in: cell(key))
  }

  func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
    guard let cell = row.full(key.stringValue) else { return nil }
    return try row.integer(type, in: cell)
  }

  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 {
    try row.integer(type, in: cell(key))
  }

  func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
    guard let cell = row.full(key.stringValue) else { return nil }
    return try row.integer(type, in: cell)
  }
}
