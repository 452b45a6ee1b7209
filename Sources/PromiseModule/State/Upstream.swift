/// A promise as those below it see it: something that can be told that one of them has left.
@usableFromInline
protocol Upstream: AnyObject, Sendable {
  /// Gives up one interest. When it was the last one, the promise is cancelled, and what follows from
  /// that, here and further up, joins the worklist.
  func leave(_ key: Key, _ worklist: inout Worklist)
}

extension Promise: Upstream {
  @usableFromInline
  func leave(_ key: Key, _ worklist: inout Worklist) {
    let departure = leaving(key)
    if let reaction = departure.reaction, reaction.key.holdsStep {
      reaction.call(nil, reaction.lane, &worklist)
    }
    if let settlement = departure.cancelled { conclude(settlement, &worklist) }
  }

  /// Lets one of the audience go.
  func leaving(_ key: Key) -> Machine.Departure {
    locked { $0.leave(key) }
  }

  /// Does what a cancel of this promise asks for.
  func conclude(_ settlement: consuming Machine.Settlement, _ worklist: inout Worklist) {
    for stop in settlement.former.more?.cancelHooks ?? [] { stop() }
    worklist.depart(from: settlement.former.upstream, key)
    hand(settlement.ready, to: &worklist)
  }
}
