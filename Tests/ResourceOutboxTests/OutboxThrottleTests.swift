import Foundation
import ResourceLoading
import ResourceOutbox
import ResourceStore
import ResourceTesting
import Synchronization
import Testing

/// How an outbox limits requests to a server that can't answer, however many entries wait.
@Suite(.timeLimit(.minutes(15)))
struct OutboxThrottleTests {
  /// The times at which requests were sent.
  private func times(
    of count: Int, _ answer: @escaping @Sendable (_ number: Int) -> StubAnswer
  ) async throws -> [Duration] {
    var fixture = try OutboxFixture()
    fixture.settings.maximumConcurrency = 1
    let times = Mutex<[Duration]>([])
    fixture.transport.stub("*") { [clock = fixture.clock] _ in
      answer(
        times.withLock {
          $0.append(clock.now.offset)
          return $0.count
        })
    }
    let (store, outbox) = try await fixture.open()
    try await outbox.pause()
    for number in 0..<count { try await outbox.add(.post("/\(number)"), as: "\(number)") }
    try await outbox.resume()
    while times.withLock({ $0.count < count }) {
      fixture.clock.advance(by: .milliseconds(250))
      for _ in 0..<20 { await Task.yield() }
    }
    await outbox.close()
    await store.close()
    return Array(times.withLock(\.self).prefix(count))
  }

  @Test func `one entry at a time checks whether the server is back, less and less often`()
    async throws
  {
    let times = try await times(of: 5) { _ in .status(503) }

    let waits = zip(times.dropFirst(), times).map { $0 - $1 }
    for (wait, least) in zip(waits, [1, 2, 4, 8]) { #expect(wait >= .seconds(least)) }
  }

  @Test func `a Retry-After applies to all entries`() async throws {
    let times = try await times(of: 3) { number in
      number == 1 ? .response(status: 503, headers: [.retryAfter: "50"]) : .status(200)
    }

    #expect(times[1] - times[0] >= .seconds(50))
  }

  @Test(arguments: [0, 1]) func `a body of 64 KiB is in the database, and a larger one in a file`(
    excess: Int
  ) async throws {
    var fixture = try OutboxFixture()
    fixture.settings.maximumConcurrency = 0
    let (store, outbox) = try await fixture.open()

    let body = Request.Body.data(Data(count: (64 << 10) + excess), as: "application/x-test")
    try await outbox.add(.post("/a").body(body), as: "a")

    #expect(fixture.bodies.count == excess)
    await outbox.close()
    await store.close()
  }
}
