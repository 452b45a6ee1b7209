internal import Foundation

/// The way in which the members of an object are found by the names of coding keys.
///
/// Of two members with one name the first counts, as in `JSONDecoder`.
enum MemberSearch {
  /// One by one, from the member that was found last.
  case inOrder
  /// By a table, for a large object.
  case table([String: Int])
  /// By a table of names that a closure has converted.
  case converted(ConvertedNames)

  /// The most members of an object that is searched one by one.
  private static let limit = 64

  @inline(__always)
  init(in object: JSONValueDecoder) {
    let document = object.document
    if document.count(of: object.word) <= Self.limit, document.settings.naming != .custom {
      self = .inOrder
    } else {
      self = Self.table(of: object)
    }
  }

  @inline(never)
  private static func table(of object: JSONValueDecoder) -> MemberSearch {
    let document = object.document
    if case .custom(let convert) = document.settings.keys {
      return .converted(ConvertedNames(of: object, convert))
    }
    var table: [String: Int] = [:]
    table.reserveCapacity(document.count(of: object.word))
    for word in document.names(of: object.word) {
      let name = document.settings.converted(document.string(document[word]))
      if table[name] == nil { table[name] = word + 1 }
    }
    return .table(table)
  }
}

extension JSONDocument {
  /// The words of the names of an object's members, in the order of the text.
  func names(of object: Int) -> some Sequence<Int> {
    let end = end(of: object)
    return sequence(state: object + 2) { word in
      guard word < end else { return nil }
      defer { word = self.next(word + 1) }
      return word
    }
  }
}

extension JSONContainer {
  /// The names of the members in the form that coding keys have, each once.
  var names: [String] {
    guard let value else { return [] }
    var seen: Set<String> = []
    return document.names(of: value.word).map(name).filter { seen.insert($0).inserted }
  }

  /// Returns the word of the member with a name; 0 if there is none.
  @inline(__always)
  func find(_ name: String) -> Int {
    guard case .inOrder = search else { return findInTable(name) }
    let key = KeyName(name)
    let isPlain = document.settings.naming == .plain
    let bits = isPlain ? NameFilter(key) : NameFilter(camel: key)
    let end = document.end(of: word)
    // The name may be that of a member before the cursor, which counts then.
    if passed.contains(bits) {
      let found = document.find(key, name, isPlain, (word &+ 2)..<cursor)
      if found != 0 { return found }
    }
    var names = passed
    var candidate = cursor
    while candidate < end {
      if document.matches(key, name, document[candidate], isPlain) {
        // A name that isn't ASCII may be written in other bytes.
        names.insert(document[candidate].kind == .ascii ? bits : .all)
        passed = names
        cursor = document.next(candidate &+ 1)
        return candidate &+ 1
      }
      names.insert(document.bits(document[candidate], isPlain))
      candidate = document.next(candidate &+ 1)
    }
    return 0
  }

  @inline(never)
  private func findInTable(_ name: String) -> Int {
    switch search {
    case .inOrder: 0
    case .table(let table): table[name] ?? 0
    case .converted(let names): names.find(name)
    }
  }
}

/// A Bloom filter of names: two of 128 bits for each.
///
/// The two bits of a name are in the same half. A `UInt128` would be slower, and its alignment
/// enlarges objects.
struct NameFilter {
  private var low: UInt64
  private var high: UInt64

  /// The bits of no name.
  static var none: NameFilter { NameFilter(low: 0, high: 0) }

  /// The bits of every name.
  static var all: NameFilter { NameFilter(low: .max, high: .max) }

  @inline(__always)
  private init(low: UInt64, high: UInt64) { (self.low, self.high) = (low, high) }

  @inline(__always)
  init(_ head: UInt64, _ tail: UInt64, _ count: Int) {
    let mixed = head ^ tail &* 31 &+ UInt64(truncatingIfNeeded: count)
    let hash = mixed &* 0x9E37_79B9_7F4A_7C15
    let bits: UInt64 = 1 &<< (hash &>> 58) | 1 &<< (hash &>> 52 & 63)
    self = hash &>> 51 & 1 == 0 ? NameFilter(low: bits, high: 0) : NameFilter(low: 0, high: bits)
  }

  @inline(__always)
  init(_ key: KeyName) { self.init(key.head, key.tail, key.count) }

  /// The bits that a name in snake case has in common with its camel case: of its length without
  /// the underscores between words, and of its first letter in any case.
  @inline(__always)
  init(camel first: UInt8, _ count: Int) {
    self.init(UInt64(first | 0x20) &<< 8 | UInt64(truncatingIfNeeded: count), 0, 0)
  }

  @inline(__always)
  init(camel key: KeyName) { self.init(camel: UInt8(truncatingIfNeeded: key.head), key.count) }

  @inline(__always)
  func contains(_ other: NameFilter) -> Bool {
    (other.low & ~low) | (other.high & ~high) == 0
  }

  @inline(__always)
  mutating func insert(_ other: NameFilter) {
    low |= other.low
    high |= other.high
  }
}

extension JSONDocument {
  /// Returns the word of the value of the first member with a name; 0 if there is none.
  @inline(never)
  fileprivate func find(
    _ key: KeyName, _ name: String, _ isPlain: Bool, _ range: Range<Int>
  ) -> Int {
    var word = range.lowerBound
    while word < range.upperBound {
      if matches(key, name, self[word], isPlain) { return word &+ 1 }
      word = next(word &+ 1)
    }
    return 0
  }

  /// Returns the bits of a name in the text; all of them for a name that can be written in several
  /// ways.
  @inline(__always)
  fileprivate func bits(_ name: IndexWord, _ isPlain: Bool) -> NameFilter {
    guard name.kind == .ascii else { return .all }
    guard isPlain else {
      let first = name.length == 0 ? 0 : text[name.offset]
      return NameFilter(camel: first, name.length &- innerUnderscores(name))
    }
    return NameFilter(
      text.head(at: name.offset, name.length),
      name.length > 8 ? text.head(at: name.offset &+ name.length &- 8, 8) : 0, name.length)
  }

  /// Returns whether a name in the text is that of a key. Names are compared as strings are:
  /// canonically.
  @inline(__always)
  fileprivate func matches(
    _ key: KeyName, _ name: String, _ word: IndexWord, _ isPlain: Bool
  ) -> Bool {
    guard isPlain else { return matchesCamelCase(key, name, word) }
    let kind = word.kind
    if kind != .escaped, text.matches(key, name, at: word.offset, word.length) { return true }
    return kind != .ascii && matchesAsString(name, word)
  }

  @inline(never)
  private func matchesAsString(_ name: String, _ word: IndexWord) -> Bool { string(word) == name }
}
