import Foundation
import ResourcePrimitives

extension Parameters.Node {
  /// Encodes a value; an error becomes a flaw.
  init(_ value: (any Encodable)?) {
    guard let value else {
      self = .scalar(.null)
      return
    }
    let target = ParameterTarget()
    do {
      try target.encode(value, at: [])
      self = target.node
    } catch {
      self = .flaw(LoadError(encoding: error).reason)
    }
  }
}

/// Encodes one value into its target.
struct ParameterEncoder: Encoder, SingleValueEncodingContainer {
  let target: ParameterTarget
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    target.becomeObject()
    return KeyedEncodingContainer(
      KeyedParameterContainer(target: target, codingPath: codingPath))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    target.becomeList()
    return UnkeyedParameterContainer(target: target, codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  func encodeNil() { target.set(.null) }

  func encode<T: Encodable>(_ value: T) throws { try target.encode(value, at: codingPath) }
}

/// Encodes named values.
struct KeyedParameterContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let target: ParameterTarget
  let codingPath: [any CodingKey]

  func encodeNil(forKey key: Key) { target.member(key.stringValue).set(.null) }

  func encode<T: Encodable>(_ value: T, forKey key: Key) throws { try encoder(key).encode(value) }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    encoder(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    encoder(key).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { encoder(PathKey("super")) }

  func superEncoder(forKey key: Key) -> any Encoder { encoder(key) }

  private func encoder(_ key: any CodingKey) -> ParameterEncoder {
    ParameterEncoder(target: target.member(key.stringValue), codingPath: codingPath + [key])
  }
}

/// Encodes the elements of a list.
struct UnkeyedParameterContainer: UnkeyedEncodingContainer {
  let target: ParameterTarget
  let codingPath: [any CodingKey]
  var count: Int { target.count }

  func encodeNil() { target.element().set(.null) }

  func encode<T: Encodable>(_ value: T) throws { try encoder().encode(value) }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) -> KeyedEncodingContainer<Nested> {
    encoder().container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder().unkeyedContainer() }

  func superEncoder() -> any Encoder { encoder() }

  private func encoder() -> ParameterEncoder {
    let path = codingPath + [PathKey(index: count)]
    return ParameterEncoder(target: target.element(), codingPath: path)
  }
}

/// The destination of a value that is being encoded.
final class ParameterTarget {
  private enum Kind {
    case node(Parameters.Node)
    case list
    case object
  }

  private var kind = Kind.object
  private var elements: [ParameterTarget] = []
  private var names: [String] = []
  /// The positions of the names, for values that are encoded again.
  private var positions: [String: Int] = [:]

  var node: Parameters.Node {
    switch kind {
    case .node(let node): node
    case .list: .list(elements.map(\.node))
    case .object:
      .object(zip(names, elements).map { Parameters.Member(name: $0, node: $1.node) })
    }
  }

  var count: Int { if case .list = kind { elements.count } else { 0 } }

  func becomeObject() {
    if case .object = kind { return }
    become(.object)
  }

  func becomeList() {
    if case .list = kind { return }
    become(.list)
  }

  func set(_ scalar: Parameters.Scalar) { become(.node(.scalar(scalar))) }

  private func become(_ kind: Kind) {
    self.kind = kind
    (elements, names, positions) = ([], [], [:])
  }

  /// Returns the destination of a member, which keeps its position if it is encoded again.
  func member(_ name: String) -> ParameterTarget {
    let target = ParameterTarget()
    if let position = positions[name] {
      elements[position] = target
    } else {
      positions[name] = elements.count
      names.append(name)
      elements.append(target)
    }
    return target
  }

  /// Returns the destination of a further element.
  func element() -> ParameterTarget {
    let target = ParameterTarget()
    elements.append(target)
    return target
  }
}

extension ParameterTarget {
  func encode(_ value: any Encodable, at path: [any CodingKey]) throws {
    guard path.count < 100 else {
      throw EncodingError.invalidValue(
        value, .init(codingPath: path, debugDescription: "It is nested deeper than 100 levels."))
    }
    if let parameters = value as? Parameters {
      become(.node(parameters.node))
    } else if let scalar = try Parameters.Scalar(value, at: path) {
      set(scalar)
    } else if let dictionary = value as? any SortableByName {
      try dictionary.encodeSorted(to: ParameterEncoder(target: self, codingPath: path))
    } else {
      try value.encode(to: ParameterEncoder(target: self, codingPath: path))
    }
  }
}

/// A dictionary, whose own order differs from run to run.
private protocol SortableByName {
  func encodeSorted(to encoder: ParameterEncoder) throws
}

extension Dictionary: SortableByName where Key: CodingKeyRepresentable, Value: Encodable {
  /// Encodes the values, sorted by name.
  fileprivate func encodeSorted(to encoder: ParameterEncoder) throws {
    var container = encoder.container(keyedBy: PathKey.self)
    let members = map { (name: $0.key.codingKey.stringValue, value: $0.value) }
    for (name, value) in members.sorted(by: { $0.name < $1.name }) {
      try container.encode(value, forKey: PathKey(name))
    }
  }
}
