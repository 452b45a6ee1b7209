/// Who may go and who waits where only so many may be under way, without the lock.
///
/// Nobody waits who could go: each event that makes room lets the one in that has waited longest and may go.
struct Turns<Waiter: Sendable>: Sendable {
  private let perHost: Int
  private let total: Int
  private var underWay = 0
  private var hosts: [String: Host] = [:]
  /// How many wait, at whatever host.
  private var waiting = 0
  private var lastNumber = 0

  private struct Host {
    var underWay = 0
    /// With the numbers in which they came, whatever their hosts.
    var waiting = FairQueue<(number: Int, waiter: Waiter)>()

    var isIdle: Bool { underWay == 0 && waiting.isEmpty }

    mutating func enter(ifFewerThan limit: Int) -> Bool {
      guard underWay < limit else { return false }
      underWay += 1
      return true
    }

    var firstNumber: Int { waiting.first?.number ?? .max }
  }

  /// What somebody is known by who waits or is under way.
  struct Ticket: Hashable, Sendable {
    fileprivate var host: String
    /// `nil` for one that never waited.
    fileprivate var place: FairQueue<(number: Int, waiter: Waiter)>.Ticket?
  }

  init(perHost: Int?, total: Int?) {
    self.perHost = perHost ?? .max
    self.total = total ?? .max
  }
}

extension Turns {
  /// Lets one in.
  ///
  /// - Returns: What it leaves by; `nil` if it has to wait.
  mutating func enter(_ host: String) -> Ticket? {
    guard underWay < total, hosts[host, default: Host()].enter(ifFewerThan: perHost) else {
      return nil
    }
    underWay += 1
    return Ticket(host: host)
  }

  /// Lets one wait that couldn't enter.
  ///
  /// - Returns: What it leaves by, whether it has had its turn by then or not.
  mutating func wait(for host: String, _ waiter: Waiter) -> Ticket {
    (waiting, lastNumber) = (waiting + 1, lastNumber + 1)
    let place = hosts[host, default: Host()].waiting.append((lastNumber, waiter))
    return Ticket(host: host, place: place)
  }

  /// Takes one out that is under way or waits.
  ///
  /// - Returns: Whose turn it is now.
  mutating func leave(_ ticket: Ticket) -> Waiter? {
    guard let place = hosts.index(forKey: ticket.host) else { return nil }
    if let waiter = ticket.place, hosts.values[place].waiting.remove(waiter) != nil {
      waiting -= 1
      tidy(place)
      return nil
    }
    underWay -= 1
    hosts.values[place].underWay -= 1
    defer { tidy(place) }
    guard waiting > 0, let next = nextPlace(after: place) else { return nil }
    (underWay, waiting) = (underWay + 1, waiting - 1)
    hosts.values[next].underWay += 1
    return hosts.values[next].waiting.popFirst()?.waiter
  }
}

extension Turns {
  private typealias Place = [String: Host].Index

  /// The host of the one that has waited longest among those that may go, after one of a host has left.
  private func nextPlace(after left: Place) -> Place? {
    // Without a limit for all hosts there is new room for this one only.
    if total == .max { return isReady(left) ? left : nil }
    var (next, number): (Place?, Int) = (nil, .max)
    for place in hosts.indices where hosts.values[place].firstNumber < number && isReady(place) {
      (next, number) = (place, hosts.values[place].firstNumber)
    }
    return next
  }

  private func isReady(_ place: Place) -> Bool {
    let host = hosts.values[place]
    return !host.waiting.isEmpty && underWay < total && host.underWay < perHost
  }

  private mutating func tidy(_ place: Place) {
    if hosts.values[place].isIdle { hosts.remove(at: place) }
  }
}
