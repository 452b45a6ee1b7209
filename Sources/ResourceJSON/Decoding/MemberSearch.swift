/// How the members of an object are found by the names of coding keys.
///
/// Of two members with one name the first counts, as in `JSONDecoder`.
enum MemberSearch {
  /// No two names are the same, so the search may begin behind the member that was found last.
  case anywhere
  /// Some names may be the same: from the first.
  case fromFirst
  /// The object is large, or names are turned into others: by a table.
  case table([String: Int])

  /// How many members an object has at most that is searched one by one.
  private static let limit = 64

  @inline(__always)
  init(in place: JSONValueDecoder) {
    let document = place.document
    if document.count(of: place.word) <= Self.limit, document.settings.naming != .custom {
      self = document.hasDistinctNames(place.word) ? .anywhere : .fromFirst
    } else {
      self = .table(Self.table(of: place))
    }
  }

  @inline(never)
  private static func table(of place: JSONValueDecoder) -> [String: Int] {
    var table: [String: Int] = [:]
    table.reserveCapacity(place.document.count(of: place.word))
    place.forEachName { name, value in
      if table[name] == nil { table[name] = value }
    }
    return table
  }
}

extension JSONValueDecoder {
  /// Calls a closure with the names of the members of an object as coding keys have them, and the words of their values.
  func forEachName(_ body: (String, Int) throws -> Void) rethrows {
    let path = if document.settings.naming == .custom { codingPath } else { [any CodingKey]() }
    let end = document.end(of: word)
    var name = word + 2
    while name < end {
      try body(
        document.settings.converted(document.string(document[name])) { path }, name + 1)
      name = document.next(name + 1)
    }
  }
}

extension JSONContainer {
  /// The names of the members as coding keys have them, each once.
  var names: [String] {
    var names: [String] = []
    var seen: Set<String> = []
    place.forEachName { name, _ in
      if case .anywhere = search {} else if !seen.insert(name).inserted { return }
      names.append(name)
    }
    return names
  }

  /// The word of the member with a name; 0 if there is none.
  @inline(__always)
  func find(_ name: String) -> Int {
    switch search {
    case .anywhere:
      let start = cursor
      return find(name, start..<document.end(of: word), (word &+ 2)..<start)
    case .fromFirst: return find(name, (word &+ 2)..<document.end(of: word), 0..<0)
    case .table(let table): return table[name] ?? 0
    }
  }

  @inline(__always)
  private func find(_ name: String, _ first: Range<Int>, _ second: Range<Int>) -> Int {
    let key = KeyName(name)
    var value = document.find(key, first)
    if value == 0 { value = document.find(key, second) }
    if value != 0 { cursor = document.next(value) }
    return value
  }
}

extension JSONDocument {
  /// The word of the value of a member among those from one name to another; 0 if there is none.
  @inline(__always)
  fileprivate func find(_ key: KeyName, _ range: Range<Int>) -> Int {
    var word = range.lowerBound
    while word < range.upperBound {
      let name = self[word]
      if settings.naming == .plain ? matches(key, name) : matchesCamelCase(key, name) {
        return word &+ 1
      }
      word = next(word &+ 1)
    }
    return 0
  }

  /// Whether a name in the text is that of a key. Names are equal as strings are: canonically.
  @inline(__always)
  private func matches(_ key: KeyName, _ name: IndexWord) -> Bool {
    if name.kind != .escaped, text.matches(key, at: name.offset, name.length) { return true }
    return name.kind != .ascii && matchesAsString(key, name)
  }

  @inline(never)
  private func matchesAsString(_ key: KeyName, _ name: IndexWord) -> Bool {
    string(name) == key.string
  }
}

extension JSONDocument {
  /// Whether no two members of an object have one name as coding keys have it, as far as one can tell in little time.
  @inline(never)
  func hasDistinctNames(_ object: Int) -> Bool {
    var seen: UInt128 = 0
    let isPlain = settings.naming == .plain
    let end = end(of: object)
    var word = object &+ 2
    while word < end {
      let name = self[word]
      guard name.kind == .ascii, isPlain || isSimple(name) else { return false }
      let bit: UInt128 = 1 &<< UInt128(truncatingIfNeeded: hash(name) &>> 57)
      if seen & bit != 0, isRepeated(word, in: object) { return false }
      seen |= bit
      word = next(word &+ 1)
    }
    return true
  }

  @inline(__always)
  private func hash(_ name: IndexWord) -> UInt64 {
    var head = text.head(at: name.offset, name.length)
    // Names of one type often begin alike.
    if name.length > 8 { head ^= text.head(at: name.offset &+ name.length &- 8, 8) &* 31 }
    return (head &+ UInt64(truncatingIfNeeded: name.length)) &* 0x9E37_79B9_7F4A_7C15
  }

  private func isRepeated(_ word: Int, in object: Int) -> Bool {
    let name = self[word]
    let head = text.head(at: name.offset, name.length)
    var other = object &+ 2
    while other < word {
      let earlier = self[other]
      if earlier.length == name.length, text.head(at: earlier.offset, name.length) == head,
        text.isEqual(at: earlier.offset, to: name.offset, name.length)
      {
        return true
      }
      other = next(other &+ 1)
    }
    return false
  }
}
