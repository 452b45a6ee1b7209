/// The elements of an array, as a type writes them.
struct UnkeyedElements {
  let array: JSONValueEncoder
  /// The encoder of a superclass that mustn't end before.
  let owner: SuperEncoder?

  private var key: ElementKey { ElementKey(position: array.count) }

  @inline(__always)
  private func write<Value: JSONScalar>(_ value: Value) throws {
    let settings = array.output.settings
    let replacement = try value.replacement(settings, in: array, for: key)
    array.writeElement { value.append(to: &$0, or: replacement, settings) }
  }
}

extension UnkeyedElements: UnkeyedEncodingContainer {
  var codingPath: [any CodingKey] { array.containerPath }

  var count: Int { array.count }

  func encodeNil() { array.writeElement { $0.append("null") } }

  @inline(__always)
  func encode<Value: JSONScalar>(_ value: Value) throws { try write(value) }

  // There are defaults for these two, which would be taken instead.
  func encode(_ value: Int128) throws { try write(value) }
  func encode(_ value: UInt128) throws { try write(value) }

  func encode<Value: Encodable>(_ value: Value) throws {
    try array.encode(element: value, as: array.output.types.form(of: Value.self))
  }
}

extension UnkeyedElements {
  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) -> KeyedEncodingContainer<NestedKey> {
    let nested = array.nested(.object, named: nil, for: key)
    return KeyedEncodingContainer(KeyedMembers<NestedKey>(of: nested, owner: owner))
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    UnkeyedElements(array: array.nested(.array, named: nil, for: key), owner: owner)
  }

  func superEncoder() -> any Encoder {
    array.loosen()
    return SuperEncoder(for: key, in: array, at: .element(count))
  }
}

/// The key of an element, which is copied without reference counting.
struct ElementKey: CodingKey {
  let position: Int

  init(position: Int) { self.position = position }
  init?(stringValue: String) { nil }
  init?(intValue: Int) { position = intValue }

  var stringValue: String { "Index \(position)" }
  var intValue: Int? { position }
}
