import Foundation

/// Where a value goes while it is encoded.
final class ParameterPlace {
  private enum Kind {
    case node(Parameters.Node)
    case list
    case object
  }

  private var kind = Kind.object
  private var elements: [ParameterPlace] = []
  private var names: [String] = []
  /// The positions of the names, for the one that is encoded again.
  private var positions: [String: Int] = [:]

  /// What was encoded.
  var node: Parameters.Node {
    switch kind {
    case .node(let node): node
    case .list: .list(elements.map(\.node))
    case .object:
      .object(zip(names, elements).map { Parameters.Member(name: $0, node: $1.node) })
    }
  }

  /// How many elements the list here has so far.
  var count: Int { if case .list = kind { elements.count } else { 0 } }

  func becomeObject() {
    if case .object = kind { return }
    become(.object)
  }

  func becomeList() {
    if case .list = kind { return }
    become(.list)
  }

  func set(_ leaf: Parameters.Leaf) { become(.node(.leaf(leaf))) }

  private func become(_ kind: Kind) {
    self.kind = kind
    (elements, names, positions) = ([], [], [:])
  }

  /// The place of a member, which keeps its position where it is encoded again.
  func member(_ name: String) -> ParameterPlace {
    let place = ParameterPlace()
    if let position = positions[name] {
      elements[position] = place
    } else {
      positions[name] = elements.count
      names.append(name)
      elements.append(place)
    }
    return place
  }

  /// The place of one more element.
  func element() -> ParameterPlace {
    let place = ParameterPlace()
    elements.append(place)
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
      become(.node(parameters.node))
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
