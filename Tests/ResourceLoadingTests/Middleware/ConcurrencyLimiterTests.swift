import Testing

@testable import ResourceLoading

/// Letters are hosts; an upper-case one is a request that comes, a lower-case one has the oldest request of that host
/// leave.
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
      // One host's queue doesn't hold up another's, which has waited less.
      ("AAABBb", 1, 2, ["A1", "B1", "B2"]),
      ("AAABCa", 1, 2, ["A1", "B1", "A2"]),
      ("AAABCb", 1, 2, ["A1", "B1", "C1"]),
      // One that leaves while it waits makes no room.
      ("ABBbb", 1, nil, ["A1", "B1", "B2"]),
      ("AABaA", 1, nil, ["A1", "B1", "A2"]),
    ] as [(String, Int?, Int?, [String])])
  func `the request that has waited longest among those that may enter enters next`(
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

  @Test func `a request that has entered without knowing it passes its turn on by leaving`() throws
  {
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
}
