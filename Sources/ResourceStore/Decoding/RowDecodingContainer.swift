/// The keys of a model, on their way out of a row.
///
/// It doesn't retain the decoder, which the connection keeps, for the reason that ``RowCursor`` gives.
struct RowDecodingContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  private let decoder: Unmanaged<RowDecoder>
  let cursor: UnsafeMutablePointer<RowCursor>

  init(_ decoder: RowDecoder, _ cursor: UnsafeMutablePointer<RowCursor>) {
    self.decoder = .passUnretained(decoder)
    self.cursor = cursor
  }

  var codingPath: [any CodingKey] { [] }

  /// The keys that have a value.
  var allKeys: [Key] { row.fullNames.compactMap { Key(stringValue: $0) } }

  func contains(_ key: Key) -> Bool { hasValue(key) }

  func decodeNil(forKey key: Key) -> Bool { !hasValue(key) }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    try row.any(type, in: cell(key))
  }

  func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
    try isPresent(key) ? decode(type, forKey: key) : nil
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> { throw RowDecoder.notARow }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    throw RowDecoder.notARow
  }

  func superDecoder() throws -> any Decoder { throw RowDecoder.notARow }

  func superDecoder(forKey key: Key) throws -> any Decoder { throw RowDecoder.notARow }
}

extension RowDecodingContainer {
  /// The decoder, for what isn't done with every column.
  var row: RowDecoder { decoder.takeUnretainedValue() }

  /// The cell of a key, after which the next column is expected.
  func cell(_ key: Key) throws -> RowCell {
    guard find(key) else { throw noColumn(key) }
    defer { cursor.advance() }
    return cursor.next
  }

  /// Whether a key has a value, which is to be decoded next. If it hasn't, the next column is expected.
  @inline(__always)
  func isPresent(_ key: Key) -> Bool {
    guard find(key) else { return false }
    guard cursor.next.isNull else { return true }
    cursor.advance()
    return false
  }

  private func hasValue(_ key: Key) -> Bool { find(key) && !cursor.next.isNull }

  /// Expects the column of a key, if there is one.
  @inline(__always)
  private func find(_ key: Key) -> Bool { cursor.expects(key) || search(key) }

  @inline(never)
  private func search(_ key: Key) -> Bool {
    guard let column = row.column(key.stringValue) else { return false }
    cursor.find(key, at: column)
    return true
  }

  /// Out of the way of what goes well, which needn't know what an error looks like.
  @inline(never)
  private func noColumn(_ key: Key) -> DecodingError {
    let context = DecodingError.Context(codingPath: [], debugDescription: "there is no such column")
    return .keyNotFound(key, context)
  }
}
