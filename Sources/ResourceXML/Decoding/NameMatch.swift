/// What names a key stands for, by number.
struct NameMatch: Hashable {
  /// No name has it.
  static let nothing = UInt32.max

  /// The name as a key, in the session's table.
  var name: UInt32 = NameMatch.nothing
  /// The namespace that the name must have, `nil` when any will do.
  var uri: UInt32?
  /// Whether `name` is compared with local names only, the namespace settling the rest.
  var isExpanded = false
  /// Whether another prefix than the key's won't do.
  var isExact = false
}
