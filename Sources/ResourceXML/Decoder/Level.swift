/// A value that is being decoded: its node in the tree, and the path of keys to it.
final class Level {
  enum Mode: Equatable {
    /// An element or attribute found by a key, and the following ones that the key matches.
    case group
    /// A single element: an item of an array, or the root.
    case item
    /// The content of an element.
    case content
    /// Only the text of a node.
    case text
    /// One item of an attribute that is a list (`xs:list`), as a range of its text.
    case listItem(Range<Int>)
    /// No node, for a missing array.
    case missing
  }

  let parent: Level?
  /// The element that contains the members of a group.
  let owner: Level?
  let key: (any CodingKey)?
  let node: Int
  let mode: Mode
  /// The names that the key matches; only for a group.
  let match: NameMatch
  let depth: Int
  /// Returns whether the enclosing type has a key for a name; only for content.
  var isClaimed: ((String) -> Bool)?
  /// The children by name; only created if there are many.
  private var index: ChildIndex?
  private var hasIndex = false

  init(
    _ node: Int, mode: Mode, match: NameMatch = NameMatch(), parent: Level? = nil,
    owner: Level? = nil, key: (any CodingKey)? = nil
  ) {
    self.node = node
    self.mode = mode
    self.match = match
    self.parent = parent
    self.owner = owner ?? parent
    self.key = key
    depth = parent.map { $0.depth + 1 } ?? 0
  }

  /// Whether the value is text, which has no children.
  var isText: Bool {
    switch mode {
    case .text, .listItem: true
    default: false
    }
  }

  /// The keys from the root to this value.
  var codingPath: [any CodingKey] {
    var path: [any CodingKey] = []
    var level: Level? = self
    while let here = level {
      if let key = here.key { path.append(key) }
      level = here.parent
    }
    return path.reversed()
  }

  /// The same value one level deeper, for a type that decodes another type from the same node.
  /// Because it counts as a level, a type that always decodes itself reaches the limit.
  var deeper: Level {
    let deeper = Level(node, mode: mode, match: match, parent: self, owner: owner)
    deeper.isClaimed = isClaimed
    return deeper
  }

  /// Returns the children by name if there may be many of them; otherwise `nil`.
  func index(in session: DecodingSession) -> ChildIndex? {
    if !hasIndex {
      hasIndex = true
      let size = Int(session.nodes[node].end) - node
      if size > ChildIndex.worthwhile { index = ChildIndex(of: node, in: session) }
    }
    return index
  }
}
