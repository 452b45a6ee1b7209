/// Who may go and who waits where only so many may go in a span of time, without the lock.
///
/// Of those who wait for a host only the first looks at the clock; as it goes or leaves, the next one does.
struct Pace<Waiter: Sendable>: Sendable {
  private let count: Int
  private let duration: Duration
  private var hosts: [String: Host] = [:]
  private var tidiedCount = 0

  private struct Host {
    var window: Window
    var waiting = FairQueue<Waiter>()
  }

  init(_ count: Int, per duration: Duration) {
    self.count = count
    self.duration = duration
  }
}

extension Pace {
  /// Lets one go at once.
  ///
  /// - Returns: Whether it may; otherwise it has to wait.
  mutating func enter(_ host: String, at now: Duration) -> Bool {
    guard hosts[host]?.waiting.isEmpty ?? true else { return false }
    tidy(at: now)
    return hosts[host, default: Host(window: Window(count, per: duration))]
      .window.enter(at: now) == nil
  }

  /// Lets one wait that couldn't enter.
  ///
  /// - Returns: What it is known by, and whether it is the first, who looks at the clock.
  mutating func wait(
    for host: String, _ waiter: Waiter
  ) -> (ticket: Ticket, isFirst: Bool) {
    let fresh = Host(window: Window(count, per: duration))
    let place = hosts[host, default: fresh].waiting.append(waiter)
    return (Ticket(host: host, place: place), hosts[host]?.waiting.isFirst(place) ?? true)
  }

  /// What somebody who waits is known by.
  struct Ticket: Hashable, Sendable {
    fileprivate var host: String
    fileprivate var place: FairQueue<Waiter>.Ticket
  }

  /// Lets the first one go that waits, if it is time.
  ///
  /// - Returns: How long it has to wait; `nil` if it may go. Either way it leaves at the end.
  mutating func pause(_ ticket: Ticket, at now: Duration) -> Duration? {
    hosts[ticket.host]?.window.enter(at: now)
  }

  /// Takes one out that waited, whether it goes or has given up.
  ///
  /// - Returns: Who is the first now, if that was the first.
  mutating func leave(_ ticket: Ticket) -> Waiter? {
    let wasFirst = hosts[ticket.host]?.waiting.isFirst(ticket.place) ?? false
    hosts[ticket.host]?.waiting.remove(ticket.place)
    return wasFirst ? hosts[ticket.host]?.waiting.first : nil
  }

  /// How many hosts it remembers.
  var hostCount: Int { hosts.count }

  /// Forgets hosts to which nothing was sent for long, each time that their number has doubled.
  private mutating func tidy(at now: Duration) {
    guard hosts.count > 2 * tidiedCount + 64 else { return }
    hosts = hosts.filter { !$0.value.waiting.isEmpty || !$0.value.window.isEmpty(at: now) }
    tidiedCount = hosts.count
  }
}
