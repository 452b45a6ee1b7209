internal import Foundation

/// An array or object while its values are decoded, or a single value for which a type asked by a key.
///
/// Decoders and keyed containers have no other reference, so that passing them on costs little.
final class JSONContainer {
  let document: JSONDocument
  /// The decoder of the array or object; `nil` for the container of the root.
  let value: JSONValueDecoder?
  private let steps: Steps
  /// The way in which members are found.
  let search: MemberSearch
  /// The word of the name at which the next search begins: types mostly ask in the order of the text.
  var cursor: Int
  /// The bits of the names before the cursor.
  var passed = NameFilter.none
  /// The element that is being decoded, and its position.
  private var element = (word: 0, position: 0)

  /// The coding keys of the values inside.
  private enum Steps {
    case none
    case names(any CodingKey.Type)
    case positions
    /// A single value, for which a type asked by this key.
    case one(Key)
  }

  /// A key in a box: containers are made by the thousand, and few need one.
  private final class Key {
    let key: any CodingKey
    init(_ key: any CodingKey) { self.key = key }
  }

  private init(
    _ document: JSONDocument, at value: JSONValueDecoder?, _ steps: Steps,
    _ search: MemberSearch = .inOrder
  ) {
    self.document = document
    self.value = value
    self.steps = steps
    self.search = search
    cursor = (value?.word ?? 0) &+ 2
  }
}

extension JSONContainer {
  /// Makes the container of the root of a document.
  convenience init(holding document: JSONDocument) {
    self.init(document, at: nil, .none)
  }

  /// Makes the container of an object whose members are found by keys of a type.
  convenience init(objectAt value: JSONValueDecoder, _ keys: any CodingKey.Type) {
    self.init(value.document, at: value, .names(keys), MemberSearch(in: value))
  }

  /// Makes the container of an object whose names are used unchanged.
  convenience init(dictionaryAt value: JSONValueDecoder) {
    self.init(value.document, at: value, .names(JSONKey.self))
  }

  /// Makes the container of an array.
  convenience init(arrayAt value: JSONValueDecoder) {
    self.init(value.document, at: value, .positions)
  }

  /// Returns the decoder of a value for which a type asked by a key.
  func child(_ key: any CodingKey, at word: Int) -> JSONValueDecoder {
    JSONValueDecoder(JSONContainer(document, at: value, .one(Key(key))), at: word)
  }

  /// Remembers which element is being decoded.
  @inline(__always)
  func note(_ word: Int, position: Int) { element = (word, position) }
}

extension JSONContainer {
  /// The word of the array or object; 0 for the container of the root.
  @inline(__always)
  var word: Int { value?.word ?? 0 }

  /// The keys from the root to this container.
  var codingPath: [any CodingKey] { value?.codingPath ?? [] }

  /// Returns the keys from the root to a value in this container.
  func path(to word: Int) -> [any CodingKey] {
    var keys: [any CodingKey] = []
    var (container, word) = (self, word)
    while let value = container.value {
      keys.append(container.key(to: word))
      (container, word) = (value.container, value.word)
    }
    return keys.reversed()
  }

  private func key(to word: Int) -> any CodingKey {
    switch steps {
    case .one(let key): key.key
    case .names(let keys): keys.init(stringValue: name(of: word)) ?? JSONKey.name(name(of: word))
    case .none, .positions: JSONKey.position(position(of: word))
    }
  }

  private func position(of target: Int) -> Int {
    guard element.word != target else { return element.position }
    var (word, position) = (self.word + 2, 0)
    while word < target {
      word = document.next(word)
      position += 1
    }
    return position
  }

  /// Returns the name of a member in the form that its key has.
  private func name(of word: Int) -> String {
    let name = document.string(document[word - 1])
    if case .names(let keys) = steps, keys == JSONKey.self { return name }
    return document.settings.converted(name) { codingPath }
  }
}

/// A step of a coding path for which no type has a key: a member's name, or the 0-based position in an array.
enum JSONKey: CodingKey {
  case name(String)
  case position(Int)

  static let `super` = JSONKey.name("super")

  init(stringValue: String) { self = .name(stringValue) }

  init(intValue: Int) { self = .position(intValue) }

  var stringValue: String {
    switch self {
    case .name(let name): name
    case .position(let position): "Index \(position)"
    }
  }

  var intValue: Int? { if case .position(let position) = self { position } else { nil } }
}
