import Foundation
import ResourceLoading
import ResourceTesting
import Synchronization
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Parsers run in parallel and delay nothing else.
@Suite(.inTurn, .serialized, .timeLimit(.minutes(10)))
struct ParallelParsingTests {
  @Test(arguments: Means.allCases)
  func `loads complete while other parsers are busy`(_ means: Means) async throws {
    let server = try LoopbackServer { LoopbackRoute("*") { _ in .response(body: "ok") } }
    defer { server.stop() }
    let session = means.makeLoader()
    let gate = Gate()
    let parked = (0..<6).map { _ in
      Task { try await session.load(Resource(url: server.url("/slow")) { _ in park(at: gate) }) }
    }
    try await gate.waitForArrivals(count: 6)

    // The blocked parsers can't continue before all of these are done.
    for _ in 0..<50 { #expect(try await session.load(.text(server.url("/quick"))) == "ok") }
    gate.open()

    for task in parked { #expect(try await task.value) }
  }

  @Test(arguments: Means.allCases)
  func `two parsers run at the same time`(_ means: Means) async throws {
    let server = try LoopbackServer { LoopbackRoute("*") { _ in .response(body: "ok") } }
    defer { server.stop() }
    let session = means.makeLoader()
    let (first, second) = (Gate(), Gate())

    // Each waits for the beginning of the other, so they would never end if they ran one after
    // another.
    async let one = session.load(
      Resource(url: server.url("/1")) { _ in
        first.open()
        return park(at: second)
      })
    async let two = session.load(
      Resource(url: server.url("/2")) { _ in
        second.open()
        return park(at: first)
      })

    #expect(try await one)
    #expect(try await two)
  }

  @Test func `a cancelled load doesn't wait for its parser`() async throws {
    let loader = StubLoader()
    loader.stub("*", .json("{}"))
    let gate = Gate()

    let task = Task { try await loader.load(Resource(.get("/")) { _ in park(at: gate) }) }
    try await gate.waitForArrivals(count: 1)
    task.cancel()

    await #expect(throws: CancellationError.self) { try await task.value }
    gate.open()
  }

  @Test func `more parsers than threads all run`() async throws {
    let loader = StubLoader()
    loader.stub("*", .json("{}"))
    let runs = Atomic(0)

    for await (_, result) in loader.loadAll(
      (0..<200).map { _ in
        Resource<Int>(.get("/x")) { _ in runs.add(1, ordering: .relaxed).newValue }
      }, maximumConcurrency: 200)
    { _ = try result.get() }

    #expect(runs.load(ordering: .relaxed) == 200)
  }
}

/// Blocks a parser's thread until the gate is open.
private func park(at gate: Gate) -> Bool {
  gate.blockUntilOpen()
  return true
}
