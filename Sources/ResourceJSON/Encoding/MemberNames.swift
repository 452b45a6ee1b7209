/// The names of the members of an object that is being written.
struct MemberNames {
  private var names: [String] = []
  private var filter = NameFilter.none
  /// The names of a large object.
  private var all: Set<String> = []

  /// The most names that are compared one by one.
  private static let limit = 32
}

extension MemberNames {
  var isEmpty: Bool { names.isEmpty }

  /// Inserts a name.
  ///
  /// - Returns: Whether it is new. Names are compared as strings are: canonically.
  mutating func insert(_ name: String) -> Bool {
    guard names.count < Self.limit ? isNew(name) : isNewInSet(name) else { return false }
    names.append(name)
    return true
  }

  private mutating func isNew(_ name: String) -> Bool {
    // Some characters that aren't ASCII are equal to one that is.
    let isASCII = name.utf8.allSatisfy { $0 < 0x80 }
    let bits = isASCII ? NameFilter(KeyName(name)) : .all
    if filter.contains(bits) || !isASCII, names.contains(name) { return false }
    filter.insert(bits)
    return true
  }

  private mutating func isNewInSet(_ name: String) -> Bool {
    if all.isEmpty { all = Set(names) }
    return all.insert(name).inserted
  }

  /// Removes the name that was inserted last.
  mutating func removeLast() {
    let name = names.removeLast()
    if !all.isEmpty { all.remove(name) }
  }

  mutating func removeAll() {
    guard !isEmpty else { return }
    names.removeAll(keepingCapacity: true)
    filter = .none
    all = []
  }
}
