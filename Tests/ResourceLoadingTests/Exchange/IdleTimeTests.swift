import Foundation
import ResourcePrimitives
import ResourceTesting
import Synchronization
import TestSupport
import Testing

@testable import ResourceLoading

/// Idle loads, and loads that are idle only above the transport.
@Suite(.inTurn, .timeLimit(.minutes(15)))
struct IdleTimeTests {
  /// An exchange whose receiver doesn't get every activity.
  private final class TricklingExchange: Exchange {
    /// The number of requests for the idle time.
    let count = Mutex(0)
    private let last: Int

    init(until last: Int) { self.last = last }

    func cancel() {}

    func findIdleTime(_ report: @escaping @Sendable (Duration?) -> Void) {
      let count = count.withLock { count in
        count += 1
        return count
      }
      report(count <= last ? .zero : nil)
    }
  }

  private func failure(
    of exchange: TricklingExchange, _ limits: ExchangeLimits
  ) async -> LoadError? {
    let accumulator = ResponseAccumulator(limits: limits)
    return await #expect(throws: LoadError.self) {
      try await accumulator.response { exchange }
    }
  }

  @Test func `a load isn't idle while the transport sees bytes`() async {
    let exchange = TricklingExchange(until: 3)
    var limits = ExchangeLimits()
    limits.idle = .milliseconds(20)

    let failure = await failure(of: exchange, limits)

    #expect(exchange.count.withLock(\.self) == 4)
    #expect(failure?.kind == .timedOut)
    #expect(failure?.reason == "nothing arrived and nothing was sent for 0.02 seconds")
  }

  /// With a clock of its own, because what the system buffers can't be held to a time.
  @Test func `the end of an upload may leave the buffers as slowly as the rest did`() {
    let clock = ManualClock()
    var limits = ExchangeLimits()
    (limits.clock, limits.idle) = (LoadClock(clock), .seconds(2))
    var (whole, blind) = (
      ResponseAccumulatorState(limits: limits), ResponseAccumulatorState(limits: limits)
    )
    let start = limits.clock.now()

    func send(_ count: Int) {
      whole.send(count, of: 30 << 20)
      blind.send(count, of: nil)
    }
    send(1 << 20)
    clock.advance(by: .seconds(6))
    send(30 << 20)

    // 20 MiB left the buffers in six seconds, so the 10 MiB in them may take three.
    #expect(whole.nextCheck == start + .seconds(6 + 2 + 3))
    #expect(blind.nextCheck == start + .seconds(6 + 2))
    clock.advance(by: .seconds(2))
    _ = blind.answer(nil)
    #expect(blind.nextCheck == start + .seconds(6 + 2 + 3))
  }

  @Test func `a head that never ends is too slow`() async {
    let exchange = TricklingExchange(until: .max)
    var limits = ExchangeLimits()
    limits.idle = .milliseconds(20)
    limits.throughput = .init(bytes: 1, per: .milliseconds(50))

    let failure = await failure(of: exchange, limits)

    #expect(failure?.reason == "only 0 bytes of the body arrived in 0.05 seconds")
  }

  @Test func `the deadline applies while a transport doesn't respond`() async {
    final class Silent: Exchange {
      func cancel() {}
      func findIdleTime(_ report: @escaping @Sendable (Duration?) -> Void) {}
    }
    var limits = ExchangeLimits()
    limits.idle = .milliseconds(20)
    limits.deadline = LoadClock.system.now() + .milliseconds(100)
    let accumulator = ResponseAccumulator(limits: limits)

    let failure = await #expect(throws: LoadError.self) {
      try await accumulator.response { Silent() }
    }

    #expect(failure?.reason.hasPrefix("the load took longer") == true)
  }

  #if Curl && os(Linux)
    @Test func `a redirect is followed although its body never ends`() async throws {
      let clock = ManualClock()
      let server = try LoopbackServer {
        LoopbackRoute("/old") { _ in
          [
            .bytes("HTTP/1.1 302 Found\r\nLocation: /new\r\nContent-Length: 100\r\n\r\nabc"),
            .silence,
          ]
        }
        LoopbackRoute("/new") { _ in .response(body: "ok") }
      }
      defer { server.stop() }
      let client = Client(baseURL: server.url()) { $0.clock = clock }

      async let text = client.load(.text(.get("/old")))
      try await clock.waitForSleepers(count: 1, within: .milliseconds(100))
      clock.advance(by: .milliseconds(100))

      #expect(try await text == "ok")
      #expect(server.requests.map(\.target) == ["/old", "/new"])
    }

    @Test func `a head that arrives slowly isn't idle`() async throws {
      let head = Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n".utf8)
      let pieces = stride(from: 0, to: head.count, by: 4).map { head[$0...].prefix(4) }
      let server = try LoopbackServer {
        LoopbackRoute("*") { _ in
          Script(pieces.flatMap { [.bytes($0), .delay(.milliseconds(400))] } + [.bytes("ok")])
        }
      }
      defer { server.stop() }

      let text = try await Client().load(.text(Request(url: server.url()).idleTimeout(.seconds(2))))

      #expect(text == "ok")
    }

    @Test(arguments: ["", "HTTP/1.1 2", "HTTP/1.1 200 OK\r\nX-A: b\r\nX"])
    func `an unfinished head is idle`(_ beginning: String) async throws {
      let server = try LoopbackServer { LoopbackRoute("*") { _ in [.bytes(beginning), .silence] } }
      defer { server.stop() }
      let request = Request(url: server.url()).idleTimeout(.milliseconds(300)).timeout(
        .seconds(100))

      let failure = await Form.await.load(.text(request), with: Client()).failure as? LoadError

      #expect(failure?.reason == "nothing arrived and nothing was sent for 0.3 seconds")
    }

    @Test func `an upload that the system still sends isn't idle`() async throws {
      let server = try SlowReader(bytesPerSecond: 1 << 20)
      defer { server.stop() }
      let body = Data(count: 5 << 20)
      let request = Request(.put, url: server.url, body: .data(body)).idleTimeout(.seconds(2))

      let text = try await Client().load(.text(request))

      #expect(text == "\(body.count)")
    }
  #endif
}
