import Foundation
import PromiseModule
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

/// Many loads, some of which are cancelled at random: 4,000 for each engine, or
/// `RESOURCE_LOADING_CYCLES`.
@Suite(.inTurn, .serialized, .timeLimit(.minutes(15)))
struct CycleTests {
  @Test(arguments: Engine.allCases)
  func `loads that are cancelled at random leave nothing behind`(_ engine: Engine) async throws {
    let server = try LoopbackServer {
      LoopbackRoute("GET /slow") { _ in [.delay(.milliseconds(2)), .response(body: "slow")] }
      LoopbackRoute("*") { _ in .response(headers: ["X-A": "b"], body: Data(count: 4096)) }
    }
    defer { server.stop() }

    await #expect(processExitsWith: .success) { [engine, url = server.url() as URL] in
      Watchdog.endsProcess(after: 600)
      let text = ProcessInfo.processInfo.environment["RESOURCE_LOADING_CYCLES"]
      let rounds = max(2, (text.flatMap { Int($0) } ?? 4_000) / 1_000)
      let start = ProcessCensus.now
      var census: [ProcessCensus] = []
      for round in 0..<rounds {
        try await Cycle(engine: engine, url: url, seed: UInt64(round)).run(loads: 1_000)
        // The connections of a closed client end asynchronously.
        census.append(try await .settled(at: start.descriptors + 4))
      }
      // The second round has created everything that is created once.
      let (early, late) = (census[1], census[rounds - 1])
      guard late.descriptors <= start.descriptors + 4, late.threads <= early.threads + 16,
        late.memory <= early.memory + 24 << 10
      else { throw Broken("\(start) \(early) \(late)") }
      print("\(engine): \(rounds) rounds, \(early) then \(late)")
    }
  }
}

/// Creates a client, runs a thousand loads and closes it.
private struct Cycle {
  var engine: Engine
  var url: URL
  var seed: UInt64

  func run(loads: Int) async throws {
    let client = Client(engine, baseURL: url)
    defer { client.close() }
    var random = SeededGenerator(seed: seed)
    let plans = (0..<loads).map { _ in
      (isSlow: Bool.random(using: &random), cancels: Int.random(in: 0..<4, using: &random))
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (number, plan) in plans.enumerated() {
        if number >= 64 { try await group.next() }
        group.addTask {
          let load = client.promise(for: .data(.get(plan.isSlow ? "/slow" : "/")))
          for _ in 0..<plan.cancels * 3 { await Task.yield() }
          if plan.cancels > 0 { load.cancel() }
          do { _ = try await load.get() } catch is CancellationError {}
        }
      }
      try await group.waitForAll()
    }
  }
}
