import ResourcePrimitives
import Testing

@testable import ResourceLoading

/// Letters are hosts. An upper-case letter adds a request, and a lower-case one removes the oldest
/// request of that host.
@Suite struct ConcurrencyLimiterTests {
  private typealias Limiter = ConcurrencyLimiter<String>

  private static func origin(_ host: String) -> Origin {
    Origin(scheme: "http", host: host, port: 80)
  }

  /// - Relimiter: The requests that entered, in order: host and a 1-based number within it.
  private func play(_ script: String, perHost: Int?, total: Int?) -> [String] {
    var limiter = Limiter(perHost: perHost, total: total)
    var (entered, inside): ([String], [(host: String, ticket: Limiter.Ticket)]) = ([], [])
    var counts: [String: Int] = [:]
    for letter in script {
      let host = letter.uppercased()
      if letter.isUppercase {
        counts[host, default: 0] += 1
        let name = "\(host)\(counts[host] ?? 0)"
        if let ticket = limiter.enter(Self.origin(host)) {
          entered.append(name)
          inside.append((host, ticket))
        } else {
          inside.append((host, limiter.wait(for: Self.origin(host), name)))
        }
      } else if let index = inside.firstIndex(where: { $0.host == host }) {
        if let next = limiter.leave(inside.remove(at: index).ticket) { entered.append(next) }
      }
    }
    return entered
  }

  @Test(
    arguments: [
      ("AAAB", nil, nil, ["A1", "A2", "A3", "B1"]),
      ("AAAB", 2, nil, ["A1", "A2", "B1"]),
      ("AAABa", 2, nil, ["A1", "A2", "B1", "A3"]),
      ("AAABb", 2, nil, ["A1", "A2", "B1"]),
      ("AAAB", nil, 2, ["A1", "A2"]),
      ("AAABa", nil, 2, ["A1", "A2", "A3"]),
      ("AAABaa", nil, 2, ["A1", "A2", "A3", "B1"]),
      // The queue of a host doesn't delay another host that has waited less.
      ("AAABBb", 1, 2, ["A1", "B1", "B2"]),
      ("AAABCa", 1, 2, ["A1", "B1", "A2"]),
      ("AAABCb", 1, 2, ["A1", "B1", "C1"]),
      // A request that leaves while it waits makes no room.
      ("ABBbb", 1, nil, ["A1", "B1", "B2"]),
      ("AABaA", 1, nil, ["A1", "B1", "A2"]),
    ] as [(String, Int?, Int?, [String])])
  func `of the requests that may enter, the one that has waited longest is next`(
    _ script: String, _ perHost: Int?, _ total: Int?, _ entered: [String]
  ) {
    #expect(play(script, perHost: perHost, total: total) == entered)
  }

  @Test func `a request that waits can leave, and the next takes its place`() throws {
    var limiter = Limiter(perHost: 1, total: nil)
    let ticket = limiter.enter(Self.origin("A"))
    let first = try #require(ticket)
    let second = limiter.wait(for: Self.origin("A"), "second")
    _ = limiter.wait(for: Self.origin("A"), "third")

    let next = [second, first].map { limiter.leave($0) }

    #expect(next == [nil, "third"])
  }

  @Test func `a request that leaves before it notices its turn passes the turn on`() throws {
    var limiter = Limiter(perHost: nil, total: 1)
    let ticket = limiter.enter(Self.origin("A"))
    let first = try #require(ticket)
    let second = limiter.wait(for: Self.origin("A"), "second")
    let third = limiter.wait(for: Self.origin("B"), "third")

    let next = [first, second, third].map { limiter.leave($0) }
    let last = limiter.enter(Self.origin("C"))

    #expect(next == ["second", "third", nil])
    #expect(last != nil)
  }

  @Test(arguments: [false, true])
  func `the next request is always the most urgent that may enter, then the oldest`(
    _ limitsChange: Bool
  ) {
    for seed in 1...200 as ClosedRange<UInt64> {
      var random = Random(state: seed)
      let (perHost, total) = (Int.random(in: 1...3, using: &random), 4)
      var limits: [Origin: Int] = [:]
      var limiter = Limiter(perHost: perHost, total: total)
      var (waiting, inside): ([Entry], [Entry]) = ([], [])
      /// Moves the next request that may enter, of one host or of all, and returns its name.
      func enterNext(of host: Origin? = nil) -> String? {
        let ready = waiting.filter { one in
          inside.count < total && one.host == host ?? one.host
            && inside.count { $0.host == one.host } < limits[one.host] ?? perHost
        }
        // The first of equal requests is the oldest.
        let urgency = ready.map(\.priority.rawValue).max()
        guard let next = ready.first(where: { $0.priority.rawValue == urgency }) else { return nil }
        waiting.removeAll { $0.name == next.name }
        inside.append(next)
        return next.name
      }
      for step in 0..<200 {
        let host = Self.origin("\(Int.random(in: 0..<4, using: &random))")
        if limitsChange, Int.random(in: 0..<4, using: &random) == 0 {
          let limit = Int.random(in: 1...5, using: &random)
          limits[host] = limit
          var expected: [String] = []
          while let name = enterNext(of: host) { expected.append(name) }
          #expect(limiter.setLimit(limit, of: host) == expected)
        } else if Bool.random(using: &random) || waiting.isEmpty && inside.isEmpty {
          let priority = Request.Priority.allCases.randomElement(using: &random) ?? .standard
          if let ticket = limiter.enter(host) {
            inside.append(Entry(host: host, priority: priority, name: "", ticket: ticket))
          } else {
            let ticket = limiter.wait(for: host, "\(step)", priority)
            waiting.append(Entry(host: host, priority: priority, name: "\(step)", ticket: ticket))
          }
        } else if Int.random(in: 0..<3, using: &random) == 0, !waiting.isEmpty {
          let entry = waiting.remove(at: Int.random(in: waiting.indices, using: &random))
          #expect(limiter.leave(entry.ticket) == nil)
        } else if !inside.isEmpty {
          let entry = inside.remove(at: Int.random(in: inside.indices, using: &random))
          #expect(limiter.leave(entry.ticket) == enterNext())
        }
      }
    }
  }

  private struct Entry {
    var host: Origin
    var priority: Request.Priority
    var name: String
    var ticket: Limiter.Ticket
  }

  /// The generator of Marsaglia's "Xorshift RNGs".
  private struct Random: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return state
    }
  }

  @Test(.timeLimit(.minutes(10)))
  func `turns for many hosts don't take quadratic time`() {
    // A search of all hosts for each turn would take 10^8 steps.
    var limiter = Limiter(perHost: 16, total: 64)
    var inside: [Limiter.Ticket] = []
    var tickets: [String: Limiter.Ticket] = [:]
    for number in 0..<20_000 {
      let host = Self.origin("\(number)")
      if let ticket = limiter.enter(host) {
        inside.append(ticket)
      } else {
        tickets["\(number)"] = limiter.wait(for: host, "\(number)")
      }
    }

    var (next, leftCount) = (inside.popLast(), 0)
    while let ticket = next {
      next = limiter.leave(ticket).flatMap { tickets[$0] } ?? inside.popLast()
      leftCount += 1
    }

    #expect(leftCount == 20_000)
  }
}
