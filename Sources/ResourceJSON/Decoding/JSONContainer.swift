internal import Foundation

/// An array or object while its values are decoded, or a single value for which a type asked by a
/// key.
///
/// Decoders and keyed containers have no other reference, so that passing them on costs little.
final class JSONContainer {
  let document: JSONDocument
  /// The decoder of the array or object; `nil` for the container of the root.
  let value: JSONValueDecoder?
  private let steps: Steps
  /// The way in which members are found.
  let search: MemberSearch
  /// The word of the name at which the next search begins: types mostly ask in the order of the
  /// text.
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
  /// Creates the container of the root of a document.
  convenience init(holding document: JSONDocument) {
    self.init(document, at: nil, .none)
  }

  /// Creates the container of an element of an array, of which the document has only a part.
  convenience init(holding document: JSONDocument, element word: Int, position: Int) {
    self.init(document, at: nil, .positions)
    note(word, position: position)
  }

  /// Creates the container of an object whose members are found by keys of a type.
  convenience init(objectAt value: JSONValueDecoder, _ keys: any CodingKey.Type) {
    self.init(value.document, at: value, .names(keys), MemberSearch(in: value))
  }

  /// Creates the container of an object whose names are used unchanged.
  convenience init(dictionaryAt value: JSONValueDecoder) {
    self.init(value.document, at: value, .names(JSONKey.self))
  }

  /// Creates the container of an array.
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
  var codingPath: [any CodingKey] {
    if case .converted(let names) = search { names.codingPath } else { value?.codingPath ?? [] }
  }

  /// Returns the keys from the root to a value in this container.
  func path(to word: Int) -> [any CodingKey] {
    var keys: [any CodingKey] = []
    var (container, word) = (self, word)
    while let value = container.value {
      keys.append(container.key(to: word))
      if case .converted(let names) = container.search { return names.codingPath + keys.reversed() }
      (container, word) = (value.container, value.word)
    }
    if case .positions = container.steps { keys.append(container.key(to: word)) }
    return document.outerPath + keys.reversed()
  }

  private func key(to word: Int) -> any CodingKey {
    switch steps {
    case .one(let key): return key.key
    case .names(let keys) where keys == JSONKey.self: return dictionaryKey(to: word)
    case .names(let keys):
      let name = name(of: word - 1)
      return keys.init(stringValue: name) ?? JSONKey.name(name)
    case .none, .positions: return JSONKey.position(position(of: word))
    }
  }

  /// Returns the key of a dictionary's value. As in Foundation, a name of digits is a number, too,
  /// unless there is a strategy for keys.
  private func dictionaryKey(to word: Int) -> any CodingKey {
    let name = document.string(document[word - 1])
    return document.settings.naming == .plain ? JSONKey.member(name) : JSONKey.name(name)
  }

  private func position(of target: Int) -> Int {
    // Behind the element that was asked for last: types that keep their decoders ask for one after
    // the other.
    if element.word > target || element.word == 0 { element = (self.word + 2, 0) }
    while element.word < target {
      element.word = document.next(element.word)
      element.position += 1
    }
    return element.position
  }

  /// Returns the name at a word, in the form that its key has.
  func name(of word: Int) -> String {
    if case .converted(let names) = search, let name = names[word] { return name }
    return document.settings.converted(document.string(document[word]))
  }
}

/// A step of a coding path for which no type has a key: a member's name, or the 0-based position in
/// an array.
enum JSONKey: CodingKey {
  case name(String)
  /// The name of a value in a dictionary, which may be a number.
  case member(String)
  case position(Int)

  static let `super` = JSONKey.name("super")

  init(stringValue: String) { self = .name(stringValue) }

  init(intValue: Int) { self = .position(intValue) }

  var stringValue: String {
    switch self {
    case .name(let name), .member(let name): name
    case .position(let position): "Index \(position)"
    }
  }

  var intValue: Int? {
    switch self {
    case .name: nil
    case .member(let name): Int(name)
    case .position(let position): position
    }
  }
}
