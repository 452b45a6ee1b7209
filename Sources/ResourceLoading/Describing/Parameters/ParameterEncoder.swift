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

/// Where a value goes while it is encoded.
final class ParameterPlace {
  private enum Content {
    case node(Parameters.Node)
    case list([ParameterPlace])
    case object([(name: String, place: ParameterPlace)])
  }

  private var content = Content.object([])

  /// What was encoded.
  var node: Parameters.Node {
    switch content {
    case .node(let node): node
    case .list(let places): .list(places.map(\.node))
    case .object(let members):
      .object(members.map { Parameters.Member(name: $0.name, node: $0.place.node) })
    }
  }

  /// How many elements the list here has so far.
  var count: Int {
    if case .list(let places) = content { places.count } else { 0 }
  }

  func becomeObject() {
    if case .object = content { return }
    content = .object([])
  }

  func becomeList() {
    if case .list = content { return }
    content = .list([])
  }

  func set(_ leaf: Parameters.Leaf) { content = .node(.leaf(leaf)) }

  /// The place of a member, which keeps its position where it is encoded again.
  func member(_ name: String) -> ParameterPlace {
    let place = ParameterPlace()
    guard case .object(var members) = content else { return place }
    if let index = members.firstIndex(where: { $0.name == name }) {
      members[index].place = place
    } else {
      members.append((name, place))
    }
    content = .object(members)
    return place
  }

  /// The place of one more element.
  func element() -> ParameterPlace {
    let place = ParameterPlace()
    if case .list(let places) = content { content = .list(places + [place]) }
    return place
  }
}

extension ParameterPlace {
  /// Encodes a value here.
  ///
  /// - Throws: What the value throws, and `EncodingError` for what no parameter can hold.
  func encode(_ value: any Encodable, at path: [any CodingKey]) throws {
    guard path.count < 100 else {
      throw EncodingError.invalidValue(
        value, .init(codingPath: path, debugDescription: "It is nested deeper than 100 levels."))
    }
    if let parameters = value as? Parameters {
      content = .node(parameters.node)
    } else if let leaf = try Parameters.Leaf(value, at: path) {
      set(leaf)
    } else if let dictionary = value as? any SortableByName {
      try dictionary.encodeSorted(to: ParameterEncoder(place: self, codingPath: path))
    } else {
      try value.encode(to: ParameterEncoder(place: self, codingPath: path))
    }
  }
}

/// A dictionary, whose own order differs from run to run.
private protocol SortableByName {
  func encodeSorted(to encoder: ParameterEncoder) throws
}

extension Dictionary: SortableByName where Key == String, Value: Encodable {
  fileprivate func encodeSorted(to encoder: ParameterEncoder) throws {
    var container = encoder.container(keyedBy: ParameterKey.self)
    for (name, value) in sorted(by: { $0.key < $1.key }) {
      try container.encode(value, forKey: ParameterKey(name))
    }
  }
}
