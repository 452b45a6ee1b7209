/// The members of an object, as a type writes them.
struct KeyedMembers<Key: CodingKey> {
  let object: JSONValueEncoder
  /// The encoder of a superclass that mustn't end before.
  let owner: SuperEncoder?
  /// The names of the keys; `nil` if a closure converts them, which gets their paths.
  private let names: NameTable?
  /// The position in the table behind the name that was found last.
  private var position = 0

  init(of object: JSONValueEncoder, owner: SuperEncoder?) {
    self.object = object
    self.owner = owner
    let output = object.output
    names = output.settings.naming == .custom ? nil : output.types.names(of: Key.self)
  }

  /// Writes a member with a closure for the value.
  @inline(__always)
  private mutating func write(_ key: Key, _ body: (inout JSONBytes) -> Void) {
    if let names, let name = object.begin(key.stringValue, in: names, &position) {
      object.output.writePart(of: .object, isFirst: object.count == 0, level: object.level &+ 1) {
        $0.append(names.names[name].label)
        body(&$0)
      }
      object.count &+= 1
    } else {
      writeApart(key, body)
    }
  }

  @inline(never)
  private func writeApart(_ key: Key, _ body: (inout JSONBytes) -> Void) {
    object.writeMember(object.name(of: key), body)
  }

  @inline(__always)
  private mutating func write<Value: JSONScalar>(_ value: Value, _ key: Key) throws {
    let settings = object.output.settings
    let replacement = try value.replacement(settings, in: object, for: key)
    write(key) { value.append(to: &$0, or: replacement, settings) }
  }
}

extension KeyedMembers: KeyedEncodingContainerProtocol {
  var codingPath: [any CodingKey] { object.containerPath }

  mutating func encodeNil(forKey key: Key) { write(key) { $0.append("null") } }

  @inline(__always)
  mutating func encode<Value: JSONScalar>(_ value: Value, forKey key: Key) throws {
    try write(value, key)
  }

  // There are defaults for these two, which would be taken instead.
  mutating func encode(_ value: Int128, forKey key: Key) throws { try write(value, key) }
  mutating func encode(_ value: UInt128, forKey key: Key) throws { try write(value, key) }

  mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    if let names, let name = object.begin(key.stringValue, in: names, &position) {
      try object.encode(value, name, of: names, for: key)
    } else {
      try object.encode(value, named: object.name(of: key), for: key)
    }
  }
}

extension KeyedMembers {
  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    let nested = object.nested(.object, named: object.name(of: key), for: key)
    return KeyedEncodingContainer(KeyedMembers<NestedKey>(of: nested, owner: owner))
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    let nested = object.nested(.array, named: object.name(of: key), for: key)
    return UnkeyedElements(array: nested, owner: owner)
  }

  func superEncoder() -> any Encoder { superEncoder(JSONKey.name("super")) }

  func superEncoder(forKey key: Key) -> any Encoder { superEncoder(key) }

  private func superEncoder(_ key: some CodingKey) -> SuperEncoder {
    SuperEncoder(for: key, in: object, at: .member(object.name(of: key)))
  }
}
