import Foundation

extension Parameters.Node {
  /// Encodes a value; an error becomes a flaw.
  init(_ value: (any Encodable)?) {
    guard let value else {
      self = .leaf(.null)
      return
    }
    let place = ParameterPlace()
    do {
      try place.encode(value, at: [])
      self = place.node
    } catch {
      self = .flaw(LoadError(encoding: error).reason)
    }
  }
}

/// Encodes one value into its place.
struct ParameterEncoder: Encoder {
  let place: ParameterPlace
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    place.becomeObject()
    return KeyedEncodingContainer(
      KeyedParameterContainer(place: place, codingPath: codingPath))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    place.becomeList()
    return UnkeyedParameterContainer(place: place, codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    SingleParameterContainer(place: place, codingPath: codingPath)
  }
}
