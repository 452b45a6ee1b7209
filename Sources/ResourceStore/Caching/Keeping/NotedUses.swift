/// What was used since somebody wrote last, without the lock. A hit writes nothing; the next write tells.
struct NotedUses<Element: Hashable & Sendable>: Sendable {
  private var elements: Set<Element> = []
}

extension NotedUses {
  /// Of many hits in a row those that can't be kept count less.
  private static var limit: Int { 1024 }

  /// Something was used.
  mutating func note(_ element: Element) {
    if elements.count < Self.limit { elements.insert(element) }
  }

  /// Takes all of them out.
  mutating func take() -> Set<Element> {
    defer { elements = [] }
    return elements
  }
}
