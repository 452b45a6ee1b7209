/// Those who wait for one thing, in the order in which they came.
struct Waiters<Waiter: Sendable>: Sendable {
  private var waiting: [Int: Waiter] = [:]
  private var first = 0
  private var next = 0
}

extension Waiters {
  /// The one that has waited longest.
  var eldest: Waiter? { waiting[first] }

  /// Lets one in.
  ///
  /// - Returns: What it is dismissed by.
  mutating func admit(_ waiter: Waiter) -> Int {
    defer { next += 1 }
    waiting[next] = waiter
    return next
  }

  /// Lets one out; without effect if it has left.
  mutating func dismiss(_ ticket: Int) {
    waiting[ticket] = nil
    while first < next, waiting[first] == nil { first += 1 }
  }
}
