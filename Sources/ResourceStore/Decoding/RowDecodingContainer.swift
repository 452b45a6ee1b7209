#if canImport(SQLite3)
  internal import SQLite3
#else
  internal import CResourceSQLite
#endif

/// The keys of a model, on their way out of a row.
///
/// It doesn't retain the decoder, which the connection keeps, for the reason that ``RowCursor`` gives.
struct RowDecodingContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  private let decoder: Unmanaged<RowDecoder>
  private let cursor: UnsafeMutablePointer<RowCursor>

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
    try full(key).map { try row.any(type, in: $0) }
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

  /// The cell of a key.
  @inline(__always)
  func cell(_ key: Key) throws -> Cell {
    if let cell = find(key) { return cell }
    throw noColumn(key)
  }

  /// The cell of a key if it has a value.
  @inline(__always)
  func full(_ key: Key) -> Cell? {
    guard let cell = find(key), cell.kind != SQLITE_NULL else { return nil }
    return cell
  }

  /// Whether a key has a value; the same key is expected to be asked for next.
  private func hasValue(_ key: Key) -> Bool {
    guard let cell = find(key) else { return false }
    cursor.pointee.expected = Int(cell.column)
    return cell.kind != SQLITE_NULL
  }

  @inline(__always)
  private func find(_ key: Key) -> Cell? { cursor.expectedCell(key) ?? search(key) }

  @inline(never)
  private func search(_ key: Key) -> Cell? {
    guard let cell = row.cell(key.stringValue) else { return nil }
    cursor.remember(key, cell)
    return cell
  }

  /// Out of the way of what goes well, which needn't know what an error looks like.
  @inline(never)
  private func noColumn(_ key: Key) -> DecodingError {
    let context = DecodingError.Context(codingPath: [], debugDescription: "there is no such column")
    return .keyNotFound(key, context)
  }
}
