/// The members of an object whose names a closure converts to those of coding keys.
///
/// The closure is called once for each member. It gets the path of the object, and so everything
/// below the object takes that path from here: finding it again would convert the names above once
/// more.
final class ConvertedNames {
  /// The keys from the root to the object.
  let codingPath: [any CodingKey]
  /// The converted names in the order of the text.
  private var names: [String] = []
  /// The words of the names, in ascending order.
  private var words: [UInt32] = []
  /// The word of the value of the first member with each name.
  private var values: [String: Int]

  init(of object: JSONValueDecoder, _ convert: ([any CodingKey]) -> any CodingKey) {
    let document = object.document
    let count = document.count(of: object.word)
    codingPath = object.codingPath
    values = Dictionary(minimumCapacity: count)
    names.reserveCapacity(count)
    words.reserveCapacity(count)
    for word in document.names(of: object.word) {
      let name = convert(codingPath + [JSONKey.name(document.string(document[word]))]).stringValue
      names.append(name)
      words.append(UInt32(truncatingIfNeeded: word))
      if values[name] == nil { values[name] = word + 1 }
    }
  }
}

extension ConvertedNames {
  /// Returns the word of the value of the first member with a name; 0 if there is none.
  func find(_ name: String) -> Int { values[name] ?? 0 }

  /// The converted name of a member, by the word of its name in the text.
  subscript(word: Int) -> String? {
    var range = words.indices
    while let middle = range.isEmpty ? nil : range.lowerBound + range.count / 2 {
      let found = Int(words[middle])
      if found == word { return names[middle] }
      range = found < word ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return nil
  }
}
