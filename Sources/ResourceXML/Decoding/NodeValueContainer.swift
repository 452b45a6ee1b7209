/// One value.
struct NodeValueContainer: SingleValueDecodingContainer {
  let session: DecodingSession
  let level: Level

  var codingPath: [any CodingKey] { level.codingPath }

  func decodeNil() -> Bool { level.mode == .missing || session.isNothing(level.node) }

  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    try session.decode(type, at: level.deeper)
  }

  func decode(_ type: String.Type) throws -> String {
    try session.requireSingle(level)
    return session.string(level.node, level.mode)
  }

  func decode(_ type: Bool.Type) throws -> Bool { try scalar(type) { $0.boolean } }

  func decode(_ type: Double.Type) throws -> Double { try scalar(type) { $0.double } }

  func decode(_ type: Float.Type) throws -> Float {
    try scalar(type) { $0.double.map { Float($0) } }
  }

  @inline(__always)
  private func scalar<T>(_ type: T.Type, _ parse: (Span<UInt8>) -> T?) throws -> T {
    try session.requireSingle(level)
    if let value = session.withText(of: level.node, level.mode, parse) { return value }
    throw session.mismatch(type, level)
  }

  func decode(_ type: Int.Type) throws -> Int { try scalar(type) { $0.integer(type) } }

  func decode(_ type: Int8.Type) throws -> Int8 { try scalar(type) { $0.integer(type) } }

  func decode(_ type: Int16.Type) throws -> Int16 { try scalar(type) { $0.integer(type) } }

  func decode(_ type: Int32.Type) throws -> Int32 { try scalar(type) { $0.integer(type) } }

  func decode(_ type: Int64.Type) throws -> Int64 { try scalar(type) { $0.integer(type) } }

  func decode(_ type: UInt.Type) throws -> UInt { try scalar(type) { $0.integer(type) } }

  func decode(_ type: UInt8.Type) throws -> UInt8 { try scalar(type) { $0.integer(type) } }

  func decode(_ type: UInt16.Type) throws -> UInt16 { try scalar(type) { $0.integer(type) } }

  func decode(_ type: UInt32.Type) throws -> UInt32 { try scalar(type) { $0.integer(type) } }

  func decode(_ type: UInt64.Type) throws -> UInt64 { try scalar(type) { $0.integer(type) } }
}
