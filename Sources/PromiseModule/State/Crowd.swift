/// Two or more reactions of a pending promise.
@usableFromInline
struct Crowd: Sendable {
  /// In the order of arrival; who has left leaves a gap, so that leaving moves nobody.
  private var places: [Reaction?]
  /// Where each one is, once somebody has left a crowd in which looking around takes long.
  private var index: [UInt: Int] = [:]
  private var gaps = 0
  /// How many haven't left.
  private(set) var interest: Int

  init(_ first: Reaction, _ second: Reaction) {
    places = [first, second]
    interest = first.key.hasLeft ? 1 : 2
  }

  var reactions: [Reaction] { places.compactMap { $0 } }

  mutating func append(_ reaction: Reaction) {
    if !index.isEmpty { index[reaction.key.name] = places.count }
    places.append(reaction)
    interest += 1
  }

  /// Lets the owner of a reaction leave. The reaction goes too, unless it outlasts that.
  mutating func leave(_ key: Key) -> Reaction? {
    guard let place = place(of: key), let reaction = places[place] else { return nil }
    interest -= 1
    if reaction.key.outlastsCancel {
      places[place]?.key.hasLeft = true
    } else {
      places[place] = nil
      gaps += 1
      closeGaps()
    }
    return reaction
  }

  private mutating func place(of key: Key) -> Int? {
    if places.count > 16 {
      if index.isEmpty { makeIndex() }
      if let place = index[key.name], isTaken(place, by: key) { return place }
    }
    // In a small crowd, and for one who has joined it several times.
    return places.indices.first { isTaken($0, by: key) }
  }

  private func isTaken(_ place: Int, by key: Key) -> Bool {
    guard let taken = places[place]?.key else { return false }
    return taken.name == key.name && !taken.hasLeft
  }

  private mutating func makeIndex() {
    for (place, reaction) in places.enumerated() {
      if let reaction { index[reaction.key.name] = place }
    }
  }

  private mutating func closeGaps() {
    guard gaps > 16, gaps * 2 > places.count else { return }
    places.removeAll { $0 == nil }
    index = [:]
    gaps = 0
  }
}
