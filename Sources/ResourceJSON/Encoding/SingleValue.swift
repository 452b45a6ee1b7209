/// The only value of an encoder, as a type writes it.
struct SingleValue {
  let encoder: JSONValueEncoder
  /// The encoder of a superclass that mustn't end before.
  let owner: SuperEncoder?

  @inline(__always)
  private func write(_ body: (JSONOutput) -> Void) {
    if encoder.beginSingle() { body(encoder.output) }
  }

  @inline(__always)
  private func write(_ number: some FixedWidthInteger) throws {
    try encoder.check(number, for: nil)
    write { $0.append(number) }
  }

  @inline(__always)
  private func write(_ number: some JSONFloat) throws {
    let replacement = try encoder.replacement(of: number, for: nil)
    write { $0.append(number, or: replacement) }
  }
}

extension SingleValue: SingleValueEncodingContainer {
  var codingPath: [any CodingKey] { encoder.codingPath }

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

  func encode(_ value: some Encodable) throws { try encoder.encode(single: value) }
}
