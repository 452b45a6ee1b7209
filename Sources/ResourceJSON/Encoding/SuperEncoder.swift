/// The encoder of a superclass. It puts the value in its place when nobody uses it any more, as
/// that of `JSONEncoder` does: nothing else says that the value is complete.
final class SuperEncoder {
  private let encoder: JSONValueEncoder
  private let container: JSONValueEncoder
  private let place: Place

  enum Place {
    case member(String)
    case element(Int)
  }

  init(for key: any CodingKey, in container: JSONValueEncoder, at place: Place) {
    self.container = container
    self.place = place
    encoder = JSONValueEncoder(
      JSONOutput(beside: container.output), in: container, for: key, level: container.level + 1)
  }

  deinit {
    encoder.finishOrEmpty()
    if encoder.output.isTooDeep { container.output.isTooDeep = true }
    switch place {
    case .member(let name): container.put(encoder.output.text.bytes, named: name)
    case .element(let index): container.insert(encoder.output.text.bytes, at: index)
    }
  }
}

extension SuperEncoder: Encoder {
  var codingPath: [any CodingKey] { encoder.codingPath }

  var userInfo: [CodingUserInfoKey: Any] { encoder.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    encoder.open(.object)
    return KeyedEncodingContainer(KeyedMembers(of: encoder, owner: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    encoder.open(.array)
    return UnkeyedElements(array: encoder, owner: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    SingleValue(encoder: encoder, owner: self)
  }
}
