/// The members of an object that has been written, or is being written, in their order.
struct MemberList {
  private var members: [Member] = []
  /// The names of the members.
  private var names = NameFilter.none
  /// The positions of the members by their names, for a large object.
  private var positions: [String: Int] = [:]

  /// The most members whose names are compared one by one.
  private static let limit = 32

  struct Member {
    let name: String
    /// Where in the text the separator before the member begins.
    let start: Int
    /// Where its name begins.
    let label: Int
    /// Where its value begins.
    let value: Int
  }
}

extension MemberList {
  var count: Int { members.count }

  subscript(position: Int) -> Member { members[position] }

  /// Returns where a member ends.
  ///
  /// - Parameter end: Where the last one ends.
  func end(_ position: Int, _ end: Int) -> Int {
    position + 1 < members.count ? members[position + 1].start : end
  }

  /// Appends a member that is known to be new, with a name in ASCII.
  mutating func append(known name: NameTable.Name, _ mark: MemberMark) {
    names.insert(name.bits)
    members.append(
      Member(name: name.name, start: mark.start, label: mark.label, value: mark.value))
  }

  /// Appends a member.
  ///
  /// - Returns: Whether there was none with this name. Names are compared as strings are:
  ///   canonically.
  mutating func append(
    _ name: String, isASCII: Bool, at start: Int, label: Int, value: Int
  ) -> Bool {
    guard members.count < Self.limit ? isNew(name, isASCII) : isNewInTable(name) else {
      return false
    }
    members.append(Member(name: name, start: start, label: label, value: value))
    return true
  }

  private mutating func isNew(_ name: String, _ isASCII: Bool) -> Bool {
    let bits = isASCII ? NameFilter(KeyName(name)) : .all
    if names.contains(bits) || !isASCII, members.contains(where: { $0.name == name }) {
      return false
    }
    names.insert(bits)
    return true
  }

  private mutating func isNewInTable(_ name: String) -> Bool {
    for position in positions.count..<members.count { positions[members[position].name] = position }
    guard positions[name] == nil else { return false }
    positions[name] = members.count
    return true
  }

  mutating func removeLast() {
    let name = members.removeLast().name
    if !positions.isEmpty { positions[name] = nil }
  }

  mutating func removeAll() {
    members.removeAll(keepingCapacity: true)
    names = .none
    if !positions.isEmpty { positions = [:] }
  }

  /// The positions of the members in the order of their names; `nil` if they are in order already.
  func sorted(by precedes: (String, String) -> Bool) -> [Int]? {
    let isSorted = members.indices.dropFirst().allSatisfy {
      precedes(members[$0 - 1].name, members[$0].name)
    }
    if isSorted { return nil }
    return members.indices.sorted { precedes(members[$0].name, members[$1].name) }
  }
}
