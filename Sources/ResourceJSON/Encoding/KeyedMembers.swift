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

  /// Begins the next member if its name is known and new.
  @inline(__always)
  private mutating func begin(_ key: Key) -> Bool {
    guard let names else { return false }
    return object.beginMember(key.stringValue, in: names, &position)
  }

  /// Writes the name of a member, and the value by a closure.
  @inline(__always)
  private mutating func write(_ key: Key, _ body: (JSONOutput) -> Void) {
    if begin(key) {
      body(object.output)
      object.count &+= 1
    } else {
      writeApart(key, body)
    }
  }

  @inline(never)
  private func writeApart(_ key: Key, _ body: (JSONOutput) -> Void) {
    let name = object.name(of: key)
    if object.beginMember(name) {
      body(object.output)
      object.count &+= 1
    } else {
      let apart = JSONOutput(beside: object.output)
      body(apart)
      object.put(apart.text.bytes, named: name)
    }
  }

  @inline(__always)
  private mutating func write(_ number: some FixedWidthInteger, _ key: Key) throws {
    try object.check(number, for: key)
    write(key) { $0.append(number) }
  }

  @inline(__always)
  private mutating func write(_ number: some JSONFloat, _ key: Key) throws {
    let replacement = try object.replacement(of: number, for: key)
    write(key) { $0.append(number, or: replacement) }
  }
}

extension KeyedMembers: KeyedEncodingContainerProtocol {
  var codingPath: [any CodingKey] { object.containerPath }

  mutating func encodeNil(forKey key: Key) { write(key) { $0.text.appendNull() } }
  mutating func encode(_ value: Bool, forKey key: Key) { write(key) { $0.text.append(value) } }
  mutating func encode(_ value: String, forKey key: Key) { write(key) { $0.append(value) } }
  mutating func encode(_ value: Double, forKey key: Key) throws { try write(value, key) }
  mutating func encode(_ value: Float, forKey key: Key) throws { try write(value, key) }
  mutating func encode(_ value: Int, forKey key: Key) throws { try write(value, key) }
  mutating func encode(_ value: Int8, forKey key: Key) throws { try write(value, key) }
  mutating func encode(_ value: Int16, forKey key: Key) throws { try write(value, key) }
  mutating func encode(_ value: Int32, forKey key: Key) throws { try write(value, key) }
  mutating func encode(_ value: Int64, forKey key: Key) throws { try write(value, key) }
  mutating func encode(_ value: UInt, forKey key: Key) throws { try write(value, key) }
  mutating func encode(_ value: UInt8, forKey key: Key) throws { try write(value, key) }
  mutating func encode(_ value: UInt16, forKey key: Key) throws { try write(value, key) }
  mutating func encode(_ value: UInt32, forKey key: Key) throws { try write(value, key) }
  mutating func encode(_ value: UInt64, forKey key: Key) throws { try write(value, key) }

  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  mutating func encode(_ value: Int128, forKey key: Key) throws { try write(value, key) }

  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  mutating func encode(_ value: UInt128, forKey key: Key) throws { try write(value, key) }

  mutating func encode(_ value: some Encodable, forKey key: Key) throws {
    let offset = object.output.text.count
    guard begin(key) else {
      return try object.encode(value, named: object.name(of: key), for: key)
    }
    try object.encode(value, begunAt: offset, named: object.name(of: key), for: key)
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
