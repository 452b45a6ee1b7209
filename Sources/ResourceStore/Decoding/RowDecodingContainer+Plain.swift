/// The plain types, decoded in place, and their optionals, which would otherwise be looked for three times.
extension RowDecodingContainer {
  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
    try bool(in: cell(key))
  }

  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
    guard let cell = full(key) else { return nil }
    return try bool(in: cell)
  }

  func decode(_ type: String.Type, forKey key: Key) throws -> String {
    try string(in: cell(key))
  }

  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
    guard let cell = full(key) else { return nil }
    return try string(in: cell)
  }

  func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
    try double(in: cell(key))
  }

  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
    guard let cell = full(key) else { return nil }
    return try double(in: cell)
  }

  func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
    try Float(double(in: cell(key)))
  }

  func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
    guard let cell = full(key) else { return nil }
    return try Float(double(in: cell))
  }

  func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
    try integer(type, in: cell(key))
  }

  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
    guard let cell = full(key) else { return nil }
    return try integer(type, in: cell)
  }

  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 {
    try integer(type, in: cell(key))
  }

  func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? {
    guard let cell = full(key) else { return nil }
    return try integer(type, in: cell)
  }

  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 {
    try integer(type, in: cell(key))
  }

  func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? {
    guard let cell = full(key) else { return nil }
    return try integer(type, in: cell)
  }

  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 {
    try integer(type, in: cell(key))
  }

  func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? {
    guard let cell = full(key) else { return nil }
    return try integer(type, in: cell)
  }

  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
    try integer(type, in: cell(key))
  }

  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
    guard let cell = full(key) else { return nil }
    return try integer(type, in: cell)
  }

  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt {
    try integer(type, in: cell(key))
  }

  func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? {
    guard let cell = full(key) else { return nil }
    return try integer(type, in: cell)
  }

  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 {
    try integer(type, in: cell(key))
  }

  func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? {
    guard let cell = full(key) else { return nil }
    return try integer(type, in: cell)
  }

  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 {
    try integer(type, in: cell(key))
  }

  func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
    guard let cell = full(key) else { return nil }
    return try integer(type, in: cell)
  }

  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 {
    try integer(type, in: cell(key))
  }

  func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
    guard let cell = full(key) else { return nil }
    return try integer(type, in: cell)
  }

  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 {
    try integer(type, in: cell(key))
  }

  func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
    guard let cell = full(key) else { return nil }
    return try integer(type, in: cell)
  }
}

// A look at the cell is enough as a rule; for all else the decoder is asked. Inlined, so that the type of the value
// is known, which that of the key isn't.
extension RowDecodingContainer {
  @inline(__always)
  private func integer<T: FixedWidthInteger>(_ type: T.Type, in cell: Cell) throws -> T {
    if let value = cell.exactInteger(type) { return value }
    return try row.integer(type, in: cell)
  }

  @inline(__always)
  private func bool(in cell: Cell) throws -> Bool { try integer(Int64.self, in: cell) != 0 }

  @inline(__always)
  private func double(in cell: Cell) throws -> Double {
    if let value = cell.exactDouble { return value }
    return try row.double(in: cell)
  }

  @inline(__always)
  private func string(in cell: Cell) throws -> String {
    if let text = cell.exactText { return text }
    throw row.noText(in: cell)
  }
}
