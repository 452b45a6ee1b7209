/// What a type decodes itself from.
struct NodeDecoder: Decoder {
  let session: DecodingSession
  let level: Level

  var codingPath: [any CodingKey] { level.codingPath }
  var userInfo: [CodingUserInfoKey: Any] { session.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    try session.requireSingle(level)
    return KeyedDecodingContainer(NodeContainer(session: session, level: level))
  }

  func unkeyedContainer() -> any UnkeyedDecodingContainer {
    NodeListContainer(session: session, level: level)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer {
    NodeValueContainer(session: session, level: level)
  }
}
