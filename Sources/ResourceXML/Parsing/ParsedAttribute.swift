/// An attribute of the tag at hand.
struct ParsedAttribute: Sendable {
  /// Its qualified name in the name table.
  var name: UInt32
  /// Its expanded name in the namespace table, known once the tag is complete.
  var expanded: UInt32 = 0
  /// Where the name stands, for errors.
  var nameOffset: Int
  /// Where the value begins.
  var start: Int
  /// Where the value ends.
  var end: Int
  /// Whether the value lies in the scratch buffer instead of the bytes at hand.
  var isScratch: Bool
  /// Whether it was written, or comes from a default.
  var isSpecified = true
}
