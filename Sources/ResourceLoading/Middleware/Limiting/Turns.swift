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
    /// In the order of their numbers.
    var waiting: [(number: Int, waiter: Waiter)] = []

    var isIdle: Bool { underWay == 0 && waiting.isEmpty }

    mutating func enter(ifFewerThan limit: Int) -> Bool {
      guard underWay < limit else { return false }
      underWay += 1
      return true
    }

    var firstNumber: Int { waiting.first?.number ?? .max }

    /// Where one waits; `nil` if it has had its turn, like all before the first.
    func index(of number: Int) -> Int? {
      number < firstNumber ? nil : waiting.firstIndex { $0.number == number }
    }
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
  mutating func enter(_ host: String) -> TicketNumber? {
    guard underWay < total, hosts[host, default: Host()].enter(ifFewerThan: perHost) else {
      return nil
    }
    (underWay, lastNumber) = (underWay + 1, lastNumber + 1)
    return TicketNumber(host: host, number: lastNumber)
  }

  /// Lets one wait that couldn't enter.
  ///
  /// - Returns: What it leaves by, whether it has had its turn by then or not.
  mutating func wait(for host: String, _ waiter: Waiter) -> TicketNumber {
    (waiting, lastNumber) = (waiting + 1, lastNumber + 1)
    hosts[host, default: Host()].waiting.append((lastNumber, waiter))
    return TicketNumber(host: host, number: lastNumber)
  }

  /// Takes one out that is under way or waits.
  ///
  /// - Returns: Whose turn it is now.
  mutating func leave(_ ticket: TicketNumber) -> Waiter? {
    guard let place = hosts.index(forKey: ticket.host) else { return nil }
    if let index = hosts.values[place].index(of: ticket.number) {
      hosts.values[place].waiting.remove(at: index)
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
    return hosts.values[next].waiting.removeFirst().waiter
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
