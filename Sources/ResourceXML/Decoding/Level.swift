/// A value that is being decoded: where in the tree it is, and how the decoder came there.
final class Level {
  /// How the node is meant.
  enum Mode: Equatable {
    /// An element or attribute found by a key, and those behind it that the key matches.
    case group
    /// One of several: an item of an array, or the root.
    case item
    /// What is in an element.
    case content
    /// The text of a node and nothing else.
    case text
    /// One item of the list that an attribute is (`xs:list`), as a range of its text.
    case listItem(Range<Int>)
    /// Nothing: an array that is missing.
    case missing
  }

  let parent: Level?
  /// The element in which a group's members are.
  let owner: Level?
  let key: (any CodingKey)?
  let node: Int
  let mode: Mode
  /// What the key matches; only of a group.
  let match: NameMatch
  let depth: Int
  /// Whether a name is one that the type around it has a key for; only of content.
  var isClaimed: ((String) -> Bool)?
  /// The children by name, made when they are many.
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

  /// Whether it is characters, in which nothing can be.
  var isText: Bool {
    switch mode {
    case .text, .listItem: true
    default: false
    }
  }

  /// From the root to here.
  var codingPath: [any CodingKey] {
    var path: [any CodingKey] = []
    var level: Level? = self
    while let here = level {
      if let key = here.key { path.append(key) }
      level = here.parent
    }
    return path.reversed()
  }

  /// The same value for a type inside the type; it counts as a level, so that types that only ever
  /// hand on to themselves end.
  var deeper: Level {
    let deeper = Level(node, mode: mode, match: match, parent: self, owner: owner)
    deeper.isClaimed = isClaimed
    return deeper
  }

  /// The children by name when there may be many of them.
  func index(in session: DecodingSession) -> ChildIndex? {
    if !hasIndex {
      hasIndex = true
      let size = Int(session.nodes[node].end) - node
      if size > ChildIndex.worthwhile { index = ChildIndex(of: node, in: session) }
    }
    return index
  }
}

/// A key of an array.
struct PositionKey: CodingKey {
  let position: Int

  init(intValue: Int) {
    position = intValue
  }

  init?(stringValue: String) { nil }

  var intValue: Int? { position }
  var stringValue: String { "Index \(position)" }
}
