// A service that gets its answers from another one: what its client does when that one is slow, is
// down, or is asked for more than it can do.
//
// What it shows: deadlines, second requests, a circuit breaker, limits that adapt, an orderly end,
// and a simulated backend, on which minutes pass in a second.

import Foundation
import ResourceLoading
import ResourceTesting
import Synchronization
import TestSupport
import Testing

private struct Order: Decodable, Sendable { let id: Int }

extension Resource where R == Order {
  fileprivate static func order(_ id: Int) -> Self { .json(.get("/orders/\(id)")) }
}

/// A service, which answers a request within the time that its caller leaves.
private struct OrderService: Sendable {
  let backend: Client

  /// Answers a request with a status and a body, as a handler of any web framework would.
  func handle(order id: Int, headers: [String: String]) async -> (status: Int, body: String) {
    let left = Deadline.Format.milliseconds.remaining(in: headers["X-Time-Left"]) ?? .seconds(2)
    do {
      let order = try await Deadline.within(left, clock: backend.configuration.clock) {
        try await backend.load(.order(id))
      }
      return (200, "order \(order.id)")
    } catch {
      let isLate = (error as? LoadError)?.kind == .timedOut
      return (isLate ? 504 : 503, error.localizedDescription)
    }
  }

  /// Ends in good order; call it on `SIGTERM`.
  func stop() async -> Int { await backend.drain(within: .seconds(20)) }
}

extension OrderService {
  init(on network: SimulatedNetwork, _ middleware: [any Middleware]) {
    backend = Client(baseURL: URL(string: "https://orders.example.org")!) {
      $0.transport = network
      $0.clock = network.clock
      $0.middleware = middleware
    }
  }

  /// With all that the article "In a service" describes.
  static func calm(on network: SimulatedNetwork) -> OrderService {
    OrderService(
      on: network,
      [
        CoalescingMiddleware(),
        RetryMiddleware(using: SeededGenerator(seed: network.seed)),
        HedgingMiddleware(),
        ServerRateLimitMiddleware(),
        ConcurrencyLimitMiddleware(adaptingRequestsPerHost: 2...100),
        CircuitBreakerMiddleware {
          $0.window = .seconds(2)
          $0.maximumPause = .seconds(1)
        },
        DeadlineMiddleware("X-Time-Left"),
      ])
  }

  /// With nothing but retries.
  static func plain(on network: SimulatedNetwork) -> OrderService {
    let retry = RetryMiddleware(budget: nil, using: SeededGenerator(seed: network.seed))
    return OrderService(on: network, [retry])
  }
}

/// The service behind it: some workers, each of which handles one request at a time.
private final class Backend: Sendable {
  let network: SimulatedNetwork
  private let state: Mutex<State>

  private struct State {
    /// When each worker is free again.
    var workers: [Duration]
    var random: SeededGenerator
    var requestCount = 0
    var longestWait = Duration.zero
  }

  /// Serves orders on a network.
  ///
  /// - Parameters:
  ///   - network: The network.
  ///   - workers: The number of workers, each of which needs 10 milliseconds for a request.
  ///   - slowShare: The share of requests that take a second.
  ///   - outage: When nothing comes through.
  init(
    on network: SimulatedNetwork, workers: Int, slowShare: Double = 0,
    outage: Range<Duration>? = nil
  ) {
    self.network = network
    state = Mutex(
      State(
        workers: Array(repeating: .zero, count: workers),
        random: SeededGenerator(seed: network.seed)))
    var conditions = NetworkConditions(latency: .milliseconds(1)...(.milliseconds(2)))
    conditions.outages = outage.map { [$0] } ?? []
    network.serve("orders.example.org", conditions: conditions) { [self] in
      answer($0, slowShare)
    }
  }

  private func answer(_ request: WireRequest, _ slowShare: Double) -> StubAnswer {
    let now = network.clock.now.offset
    let duration = state.withLock { state in
      let isSlow = Double.random(in: 0..<1, using: &state.random) < slowShare
      let worker = state.workers.indices.min { state.workers[$0] < state.workers[$1] } ?? 0
      let start = max(now, state.workers[worker])
      state.workers[worker] = start + (isSlow ? .seconds(1) : .milliseconds(10))
      state.requestCount += 1
      state.longestWait = max(state.longestWait, start - now)
      return state.workers[worker] - now
    }
    return .json(#"{"id": \#(request.url.lastPathComponent)}"#)
      .delayed(by: duration, clock: network.clock)
  }

  /// The number of requests that have arrived.
  var requestCount: Int { state.withLock(\.requestCount) }

  /// The number of requests that were sent in a span of time, whether they arrived or not.
  func sentCount(in span: Range<Duration>) -> Int {
    network.story.split(separator: "\n").count { line in
      guard line.contains("is sent"), let seconds = Double(line.prefix { $0 != " " }) else {
        return false
      }
      return span.contains(.seconds(seconds))
    }
  }

  /// The longest time that a request has waited for a worker.
  var longestWait: Duration { state.withLock(\.longestWait) }
}

/// What callers of the service have seen.
private struct Report: Sendable {
  struct Answer: Sendable {
    let asked: Duration
    let took: Duration
    let status: Int
  }

  var answers: [Answer] = []

  /// The time within which a share of the callers had their answer.
  func percentile(_ share: Double) -> Duration {
    let times = answers.map(\.took).sorted()
    return times[Int(Double(times.count - 1) * share)]
  }

  /// The share of those who asked in a span of time that got their order.
  func success(of span: Range<Duration>) -> Double {
    let asked = answers.filter { span.contains($0.asked) }
    return Double(asked.count { $0.status == 200 }) / Double(max(1, asked.count))
  }
}

extension OrderService {
  /// Asks for an order at each of some times.
  func answers(
    at times: [Duration], on network: SimulatedNetwork, within left: Duration = .seconds(2)
  ) async -> Report {
    await withTaskGroup(of: Report.Answer.self) { group in
      for (id, time) in times.enumerated() {
        group.addTask {
          try? await network.clock.sleep(for: time)
          let headers = ["X-Time-Left": "\(Int(left / .milliseconds(1)))"]
          let (status, _) = await handle(order: id, headers: headers)
          return Report.Answer(
            asked: time, took: network.clock.now.offset - time, status: status)
        }
      }
      return await group.reduce(into: Report()) { $0.answers.append($1) }
    }
  }
}

/// Some times, one after the other, at a rate in calls a second.
private func times(_ count: Int, rate: Double, from start: Duration = .zero) -> [Duration] {
  (0..<count).map { start + .seconds(1) * (Double($0) / rate) }
}

@Suite(.inTurn, .timeLimit(.minutes(15)))
struct OrderServiceTests {
  private typealias Making = @Sendable (SimulatedNetwork) -> OrderService

  private func run(
    _ make: @escaping Making, at times: [Duration], workers: Int, slowShare: Double = 0,
    outage: Range<Duration>? = nil, within left: Duration = .seconds(2)
  ) async -> (report: Report, backend: Backend) {
    let network = SimulatedNetwork(seed: 40)
    let backend = Backend(on: network, workers: workers, slowShare: slowShare, outage: outage)
    let report = await network.run {
      let service = make(network)
      let report = await service.answers(at: times, on: network, within: left)
      let unfinished = await service.stop()
      #expect(unfinished == 0)
      return report
    }
    return (report, backend)
  }

  @Test func `when one answer in fifty is slow, callers don't notice`() async {
    let times = times(800, rate: 80)

    let plain = await run(OrderService.plain, at: times, workers: 50, slowShare: 0.02)
    let calm = await run(OrderService.calm, at: times, workers: 50, slowShare: 0.02)

    #expect(plain.report.percentile(0.99) >= .seconds(1))
    #expect(calm.report.percentile(0.99) * 5 <= plain.report.percentile(0.99))
    #expect(calm.backend.requestCount * 100 <= times.count * 105)
  }

  @Test func `in an outage hardly anything is sent, and after it all goes on within a second`()
    async
  {
    let times = times(640, rate: 40)
    let outage = Duration.seconds(4)..<(.seconds(10))

    let plain = await run(OrderService.plain, at: times, workers: 50, outage: outage)
    let calm = await run(OrderService.calm, at: times, workers: 50, outage: outage)

    let loads = times.count(where: outage.contains)
    #expect(plain.backend.sentCount(in: outage) > 2 * loads)
    #expect(calm.backend.sentCount(in: outage) < loads / 2)
    #expect(calm.report.success(of: .zero..<(.seconds(3.5))) == 1)
    #expect(calm.report.success(of: .seconds(11)..<(.seconds(16))) == 1)
  }

  @Test func `when many ask at once, those that are answered are answered in time`() async {
    let crowd = times(200, rate: 100) + times(800, rate: 800, from: .seconds(2))
    let times = crowd + times(200, rate: 100, from: .seconds(3))

    let plain = await run(
      OrderService.plain, at: times, workers: 2, within: .milliseconds(500))
    let calm = await run(
      OrderService.calm, at: times, workers: 2, within: .milliseconds(500))

    let during = Duration.seconds(2)..<(.seconds(3))
    let after = Duration.seconds(4)..<(.seconds(6))
    #expect(plain.report.success(of: after) == 0)
    #expect(calm.report.success(of: during) > plain.report.success(of: during))
    #expect(calm.backend.longestWait < plain.backend.longestWait / 10)
    #expect(calm.report.success(of: after) == 1)
  }
}
