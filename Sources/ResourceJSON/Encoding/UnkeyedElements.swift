/// The elements of an array, as a type writes them.
struct UnkeyedElements {
  let array: JSONValueEncoder
  /// The encoder of a superclass that mustn't end before.
  let owner: SuperEncoder?

  /// Writes an element by a closure.
  @inline(__always)
  private func write(_ body: (JSONOutput) -> Void) {
    if array.beginElement() {
      body(array.output)
      array.count &+= 1
    } else {
      let apart = JSONOutput(beside: array.output)
      body(apart)
      array.put(apart.text.bytes, named: nil)
    }
  }

  private var key: ElementKey { ElementKey(position: array.count) }

  @inline(__always)
  private func write(_ number: some FixedWidthInteger) throws {
    try array.check(number, for: key)
    write { $0.append(number) }
  }

  @inline(__always)
  private func write(_ number: some JSONFloat) throws {
    let replacement = try array.replacement(of: number, for: key)
    write { $0.append(number, or: replacement) }
  }
}

extension UnkeyedElements: UnkeyedEncodingContainer {
  var codingPath: [any CodingKey] { array.containerPath }

  var count: Int { array.count }

  func encodeNil() { write { $0.text.appendNull() } }
  func encode(_ value: Bool) { write { $0.text.append(value) } }
  func encode(_ value: String) { write { $0.append(value) } }
  func encode(_ value: Double) throws { try write(value) }
  func encode(_ value: Float) throws { try write(value) }
  func encode(_ value: Int) throws { try write(value) }
  func encode(_ value: Int8) throws { try write(value) }
  func encode(_ value: Int16) throws { try write(value) }
  func encode(_ value: Int32) throws { try write(value) }
  func encode(_ value: Int64) throws { try write(value) }
  func encode(_ value: UInt) throws { try write(value) }
  func encode(_ value: UInt8) throws { try write(value) }
  func encode(_ value: UInt16) throws { try write(value) }
  func encode(_ value: UInt32) throws { try write(value) }
  func encode(_ value: UInt64) throws { try write(value) }

  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  func encode(_ value: Int128) throws { try write(value) }

  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  func encode(_ value: UInt128) throws { try write(value) }

  func encode(_ value: some Encodable) throws {
    try array.encode(value, named: nil, for: key)
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
