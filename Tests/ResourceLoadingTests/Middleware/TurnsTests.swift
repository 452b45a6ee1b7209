import Testing

@testable import ResourceLoading

/// Who may go where only so many may be under way. Letters are hosts; an upper-case one comes, a lower-case
/// one leaves that came first of those still there.
@Suite struct TurnsTests {
  /// - Returns: Who went, in order: host and a 1-based number within it.
  private func play(_ script: String, perHost: Int?, total: Int?) -> [String] {
    var turns = Turns<String>(perHost: perHost, total: total)
    var (went, inside): ([String], [(host: String, ticket: Turns<String>.Ticket)]) = ([], [])
    var counts: [String: Int] = [:]
    for letter in script {
      let host = letter.uppercased()
      if letter.isUppercase {
        counts[host, default: 0] += 1
        let name = "\(host)\(counts[host] ?? 0)"
        if let ticket = turns.enter(host) {
          went.append(name)
          inside.append((host, ticket))
        } else {
          inside.append((host, turns.wait(for: host, name)))
        }
      } else if let index = inside.firstIndex(where: { $0.host == host }) {
        if let next = turns.leave(inside.remove(at: index).ticket) { went.append(next) }
      }
    }
    return went
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
  func `who has waited longest and may go goes`(
    _ script: String, _ perHost: Int?, _ total: Int?, _ went: [String]
  ) {
    #expect(play(script, perHost: perHost, total: total) == went)
  }

  @Test func `one that waits can leave, and the next takes its place`() throws {
    var turns = Turns<String>(perHost: 1, total: nil)
    let entered = turns.enter("A")
    let first = try #require(entered)
    let second = turns.wait(for: "A", "second")
    _ = turns.wait(for: "A", "third")

    let next = [second, first].map { turns.leave($0) }

    #expect(next == [nil, "third"])
  }

  @Test func `one that has had its turn without knowing it passes it on by leaving`() throws {
    var turns = Turns<String>(perHost: nil, total: 1)
    let entered = turns.enter("A")
    let first = try #require(entered)
    let second = turns.wait(for: "A", "second")
    let third = turns.wait(for: "B", "third")

    let next = [first, second, third].map { turns.leave($0) }
    let last = turns.enter("C")

    #expect(next == ["second", "third", nil])
    #expect(last != nil)
  }
}
