/// Who may go and who waits where only so many may be under way, without the lock.
///
/// Nobody waits who could go: each event that makes room lets the one in that has waited longest and may go.
struct Turns<Waiter: Sendable>: Sendable {
  private let perHost: Int
  private let total: Int
  private var underWay = 0
  private var hosts: [String: Host] = [:]
  private var lastNumber = 0

  private struct Host {
    var underWay = 0
    /// In the order of their numbers.
    var waiting: [(number: Int, waiter: Waiter)] = []

    var isIdle: Bool { underWay == 0 && waiting.isEmpty }
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
    guard hasRoom(for: hosts[host]) else { return nil }
    lastNumber += 1
    admit(to: host)
    return TicketNumber(host: host, number: lastNumber)
  }

  /// Lets one wait that couldn't enter.
  ///
  /// - Returns: What it leaves by, whether it has had its turn by then or not.
  mutating func wait(for host: String, _ waiter: Waiter) -> TicketNumber {
    lastNumber += 1
    hosts[host, default: Host()].waiting.append((lastNumber, waiter))
    return TicketNumber(host: host, number: lastNumber)
  }

  /// Takes one out that is under way or waits.
  ///
  /// - Returns: Whose turn it is now.
  mutating func leave(_ ticket: TicketNumber) -> Waiter? {
    if let index = hosts[ticket.host]?.index(of: ticket.number) {
      hosts[ticket.host]?.waiting.remove(at: index)
      tidy(ticket.host)
      return nil
    }
    underWay -= 1
    hosts[ticket.host]?.underWay -= 1
    let next = nextHost(after: ticket.host)
    defer { tidy(ticket.host) }
    guard let next else { return nil }
    admit(to: next)
    return hosts[next]?.waiting.removeFirst().waiter
  }
}

extension Turns {
  private func hasRoom(for host: Host?) -> Bool {
    underWay < total && (host?.underWay ?? 0) < perHost
  }

  private mutating func admit(to host: String) {
    underWay += 1
    hosts[host, default: Host()].underWay += 1
  }

  /// The host of the one that has waited longest among those that may go, after one of a host has left.
  private func nextHost(after left: String) -> String? {
    // Without a limit for all hosts there is new room for this one only.
    if total == .max { return isReady(hosts[left]) ? left : nil }
    var (next, number): (String?, Int) = (nil, .max)
    for (name, host) in hosts where host.firstNumber < number && isReady(host) {
      (next, number) = (name, host.firstNumber)
    }
    return next
  }

  private func isReady(_ host: Host?) -> Bool {
    host?.waiting.isEmpty == false && hasRoom(for: host)
  }

  private mutating func tidy(_ host: String) {
    if hosts[host]?.isIdle == true { hosts[host] = nil }
  }
}
