/// The members of an object whose names a closure converts to those of coding keys.
///
/// The closure is called once for each member. It gets the path of the object, and so everything
/// below the object takes that path from here: finding it again would convert the names above once
/// more.
final class ConvertedNames {
  /// The keys from the root to the object.
  let codingPath: [any CodingKey]
  /// The converted names in the order of the text, with their words, which ascend.
  private var names: [(name: String, word: Int)] = []
  /// The word of the value of the first member with each name, for a large object.
  private var values: [String: Int] = [:]

  /// The most members that are searched one by one.
  private static let limit = 8

  init(of object: JSONValueDecoder, _ convert: ([any CodingKey]) -> any CodingKey) {
    let document = object.document
    codingPath = object.codingPath
    names.reserveCapacity(document.count(of: object.word))
    // One array for all names, unless the closure keeps it.
    var path = codingPath + [JSONKey.name("")]
    let end = document.end(of: object.word)
    var word = object.word + 2
    while word < end {
      path[path.count - 1] = JSONKey.name(document.string(document[word]))
      names.append((convert(path).stringValue, word))
      word = document.next(word + 1)
    }
    guard names.count > Self.limit else { return }
    values.reserveCapacity(names.count)
    for (name, word) in names where values[name] == nil { values[name] = word + 1 }
  }
}

extension ConvertedNames {
  /// Returns the word of the value of the first member with a name; 0 if there is none.
  func find(_ name: String) -> Int {
    if names.count > Self.limit { return values[name] ?? 0 }
    for member in names where member.name == name { return member.word + 1 }
    return 0
  }

  /// The converted name of a member, by the word of its name in the text.
  subscript(word: Int) -> String? {
    var range = names.indices
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      if names[middle].word == word { return names[middle].name }
      range =
        names[middle].word < word ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return nil
  }
}
