import Synchronization

/// The promises that a combined one waits for, as its upstream: when it leaves, it leaves them all.
@usableFromInline
final class Group: Upstream {
  private let members: [any Upstream]
  private let remaining: Atomic<Int>

  @usableFromInline
  init(_ members: [any Upstream]) {
    self.members = members
    remaining = Atomic(members.count)
  }

  convenience init<each Input>(_ promises: repeat Promise<each Input>) {
    var members: [any Upstream] = []
    repeat members.append(each promises)
    self.init(members)
  }

  var isEmpty: Bool { members.isEmpty }

  /// Counts one arrival.
  ///
  /// - Returns: Whether it was the last one.
  @usableFromInline
  func countArrival() -> Bool {
    remaining.subtract(1, ordering: .acquiringAndReleasing).newValue == 0
  }

  /// Gives up the interest in every member. Those that nobody else waits for are cancelled.
  @usableFromInline
  func dismiss(_ worklist: inout Worklist) {
    for member in members.reversed() { worklist.depart(from: member, Key(child: self)) }
  }

  @usableFromInline
  func leave(_ key: Key, _ worklist: inout Worklist) {
    dismiss(&worklist)
  }
}

extension Promise {
  /// Waits for this promise as a member of a group.
  ///
  /// - Parameters:
  ///   - early: The combined outcome, if this member's decides it.
  ///   - finish: Makes the combined outcome when all members have arrived and none decided it.
  @inlinable
  func report<Combined: Sendable>(
    to combined: Promise<Combined>, in group: Group, _ worklist: inout Worklist,
    early: @escaping @Sendable (Result<Value, any Error>) -> Result<Combined, any Error>?,
    finish: @escaping @Sendable () -> Result<Combined, any Error>
  ) {
    if result != nil { return arrive(for: combined, in: group, &worklist, early, finish) }
    let reaction = Reaction(.inline, key: Key(child: group)) { _, lane, worklist in
      self.arrive(for: combined, in: group, &worklist, early, finish)
      self.advance(lane, &worklist)
    }
    add(reaction, &worklist)
  }

  @inlinable
  func arrive<Combined: Sendable>(
    for combined: Promise<Combined>, in group: Group, _ worklist: inout Worklist,
    _ early: (Result<Value, any Error>) -> Result<Combined, any Error>?,
    _ finish: () -> Result<Combined, any Error>
  ) {
    if let outcome = early(settled) {
      if combined.settle(outcome, &worklist) { group.dismiss(&worklist) }
    } else if group.countArrival() {
      combined.settle(finish(), &worklist)
    }
  }
}
