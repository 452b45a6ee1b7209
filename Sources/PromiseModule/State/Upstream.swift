import Synchronization

/// A promise as those below it see it: something that can be told that one of them has left.
@usableFromInline
protocol Upstream: AnyObject, Sendable {
  /// Gives up one interest. When it was the last one, the promise is cancelled.
  ///
  /// - Returns: Where the departure goes on: the cancelled promise's own upstream.
  func leave(_ key: Key, _ worklist: inout Worklist) -> (any Upstream)?
}

extension Upstream {
  /// Tells a departure to this promise and on, in a loop, to all above that it leaves unwanted.
  @usableFromInline
  func leaveAll(_ key: Key, _ worklist: inout Worklist) {
    var key = key
    var current: any Upstream = self
    while let next = current.leave(key, &worklist) {
      key = Key(child: current)
      current = next
    }
  }
}

extension Promise: Upstream {
  @usableFromInline
  func leave(_ key: Key, _ worklist: inout Worklist) -> (any Upstream)? {
    conclude(leaving(key).cancelled, &worklist)
  }

  /// Lets one of the audience go.
  func leaving(_ key: Key) -> Machine.Departure {
    locked { machine in
      let departure = machine.leave(key)
      if departure.cancelled != nil { isSettled.store(true, ordering: .releasing) }
      return departure
    }
  }

  /// Does what a cancel asks for here.
  ///
  /// - Returns: Who is to be told next.
  func conclude(
    _ settlement: Machine.Settlement?, _ worklist: inout Worklist
  ) -> (any Upstream)? {
    guard let settlement else { return nil }
    for stop in settlement.former.more?.cancelHooks ?? [] { stop() }
    worklist.accept(settlement.ready)
    return settlement.former.upstream
  }
}
