/// Those who wait for one thing, in the order in which they came.
struct Waiters<Waiter: Sendable>: Sendable {
  /// Where one has left there is `nil`, until it is tidied up.
  private var waiting: [Waiter?] = []
  /// The ticket of the first place.
  private var firstTicket = 0
  /// The place of the one that has waited longest.
  private var first = 0
}

extension Waiters {
  /// The one that has waited longest.
  var eldest: Waiter? { first < waiting.count ? waiting[first] : nil }

  /// All of them.
  var all: [Waiter] { waiting[first...].compactMap(\.self) }

  /// Whether there is one of whom something is true.
  func contains(where isSo: (Waiter) -> Bool) -> Bool {
    waiting.contains { $0.map(isSo) ?? false }
  }

  /// Lets one in.
  ///
  /// - Returns: What it is dismissed by.
  mutating func admit(_ waiter: Waiter) -> Int {
    waiting.append(waiter)
    return firstTicket + waiting.count - 1
  }

  /// Lets one out; without effect if it has left.
  mutating func dismiss(_ ticket: Int) {
    let place = ticket - firstTicket
    guard waiting.indices.contains(place) else { return }
    waiting[place] = nil
    while first < waiting.count, waiting[first] == nil { first += 1 }
    // Not each time, or many who leave in turn would take the square of their number.
    guard first > 16, first > waiting.count / 2 else { return }
    waiting.removeFirst(first)
    (firstTicket, first) = (firstTicket + first, 0)
  }
}
