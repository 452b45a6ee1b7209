/// The only value of an encoder, as a type writes it.
struct SingleValue {
  let encoder: JSONValueEncoder
  /// The encoder of a superclass that mustn't end before.
  let owner: SuperEncoder?

  @inline(__always)
  private func write<Value: JSONScalar>(_ value: Value) throws {
    let settings = encoder.output.settings
    let replacement = try value.replacement(settings, in: encoder, for: nil)
    encoder.writeSingle { value.append(to: &$0, or: replacement, settings) }
  }
}

extension SingleValue: SingleValueEncodingContainer {
  var codingPath: [any CodingKey] { encoder.codingPath }

  func encodeNil() { encoder.writeSingle { $0.append("null") } }

  @inline(__always)
  func encode<Value: JSONScalar>(_ value: Value) throws { try write(value) }

  // There are defaults for these two, which would be taken instead.
  func encode(_ value: Int128) throws { try write(value) }
  func encode(_ value: UInt128) throws { try write(value) }

  func encode<Value: Encodable>(_ value: Value) throws { try encoder.encode(single: value) }
}
