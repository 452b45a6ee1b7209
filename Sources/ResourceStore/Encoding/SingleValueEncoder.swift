/// Finds out whether a value encodes itself as one plain value, and as which.
final class SingleValueEncoder: Encoder {
  /// What it was; `nil` for `Bool` and everything that isn't one plain value.
  private(set) var value: StoredValue?

  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]

  /// Ends the encoding of a value that isn't a single one.
  struct NotSingle: Error {}

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    value = nil
    return KeyedEncodingContainer(RefusingContainer<Key>(error: NotSingle()))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    value = nil
    return RefusingListContainer(error: NotSingle())
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

extension SingleValueEncoder: SingleValueEncodingContainer {
  func encodeNil() { value = .null }
  func encode(_ value: Bool) throws { self.value = nil }
  func encode(_ value: String) { self.value = .text(value) }
  func encode(_ value: Double) { self.value = StoredValue(value) }
  func encode(_ value: Float) { self.value = StoredValue(Double(value)) }
  func encode(_ value: Int) { self.value = StoredValue(value) }
  func encode(_ value: Int8) { self.value = StoredValue(value) }
  func encode(_ value: Int16) { self.value = StoredValue(value) }
  func encode(_ value: Int32) { self.value = StoredValue(value) }
  func encode(_ value: Int64) { self.value = StoredValue(value) }
  func encode(_ value: UInt) { self.value = StoredValue(value) }
  func encode(_ value: UInt8) { self.value = StoredValue(value) }
  func encode(_ value: UInt16) { self.value = StoredValue(value) }
  func encode(_ value: UInt32) { self.value = StoredValue(value) }
  func encode(_ value: UInt64) { self.value = StoredValue(value) }

  func encode<T: Encodable>(_ value: T) throws {
    self.value = T.self == Bool.self ? nil : try StoredValue(encoding: value)
  }
}
