import Foundation
import ResourceLoading
import ResourceTesting
import Synchronization
import TestSupport
import Testing

@Suite(.inTurn, .timeLimit(.minutes(10)))
struct LoadBatchTests {
  private func resources(_ count: Int) -> [Resource<String>] {
    (0..<count).map { .text(.get("/\($0)")) }
  }

  @Test(arguments: [1, 3, 8, 100])
  func `every result arrives once with its position`(_ width: Int) async throws {
    let loader = StubLoader()
    for index in 0..<20 { loader.stub("/\(index)", .response(body: Data("\(index)".utf8))) }
    loader.stub("/7", .response(status: 500))

    var texts: [Int: String] = [:]
    var failures: [Int] = []
    for await (index, result) in loader.loadAll(resources(20), maximumConcurrency: width) {
      switch result {
      case .success(let text): #expect(texts.updateValue(text, forKey: index) == nil)
      case .failure: failures.append(index)
      }
    }

    #expect(failures == [7])
    #expect(texts.count == 19)
    #expect(texts.allSatisfy { $0.value == "\($0.key)" })
  }

  @Test(arguments: Means.allCases)
  func `no more loads run than allowed`(_ means: Means) async throws {
    let gate = Gate()
    let server = try LoopbackServer {
      LoopbackRoute("*") { _ in [.wait(gate), .response(body: "ok")] }
    }
    defer { server.stop() }
    let session = means.makeLoader()
    let resources = (0..<12).map { Resource.text(server.url("/\($0)")) }

    let task = Task {
      await session.loadAll(resources, maximumConcurrency: 3).reduce(into: 0) { count, _ in
        count += 1
      }
    }
    _ = try await server.waitForRequests(count: 3)
    gate.open()

    #expect(await task.value == 12)
    #expect(server.statistics.peakInFlight == 3)
  }

  @Test func `a slow loop delays further loads`() async throws {
    let loader = StubLoader()
    loader.stub("*", .response(body: Data("x".utf8)))
    var iterator = loader.loadAll(resources(100), maximumConcurrency: 2).makeAsyncIterator()

    _ = await iterator.next()
    _ = await iterator.next()

    // Two results were delivered. At most twice the width can have been started after them.
    #expect(loader.requests.count <= 6)
  }

  @Test func `any number of loads may be allowed at a time`() async throws {
    let loader = StubLoader()
    loader.stub("*", .response(body: Data("x".utf8)))

    let all = loader.loadAll(resources(3), maximumConcurrency: .max)

    #expect(await all.reduce(0) { count, _ in count + 1 } == 3)
  }

  @Test func `nothing is loaded before the loop begins`() async throws {
    let loader = StubLoader()

    _ = loader.loadAll(resources(5))

    #expect(loader.requests.isEmpty)
  }

  @Test(arguments: Means.allCases)
  func `leaving the loop cancels running loads`(_ means: Means) async throws {
    let server = try LoopbackServer {
      LoopbackRoute("GET /0") { _ in .response(body: "first") }
      LoopbackRoute("*") { _ in .silence }
    }
    defer { server.stop() }
    let session = means.makeLoader()
    let resources = (0..<4).map { Resource.text(server.url("/\($0)")) }

    for await (index, _) in session.loadAll(resources, maximumConcurrency: 4) where index == 0 {
      _ = try await server.waitForRequests(count: 4)
      break
    }

    try await server.waitForDisconnects(count: 3)
  }

  @Test func `cancelling the task ends the loop`() async throws {
    let gate = Gate()
    let loader = StubLoader()
    loader.stub("*", .json("{}").waiting(for: gate))
    let resources = resources(4)

    let task = Task {
      await loader.loadAll(resources).reduce(into: 0) { count, _ in count += 1 }
    }
    try await gate.waitForArrivals(count: 4)
    task.cancel()

    #expect(await task.value == 0)
  }

  @Test func `without endpoints there are no results`() async {
    #expect(await StubLoader().loadAll([Resource<Data>]()).reduce(0) { count, _ in count + 1 } == 0)
  }

  @Test func `the progress counts completed and failed loads`() async throws {
    let loader = StubLoader()
    loader.stub("*", .json("{}"))
    loader.stub("/2", .status(500))
    let resources = (0..<5).map { Resource.void(.get("/\($0)")) }
    let steps = Mutex<[BatchProgress]>([])
    let progress = Progress(totalUnitCount: 0)

    for await _ in loader.loadAll(resources, maximumConcurrency: 1)
      .onProgress({ step in steps.withLock { $0.append(step) } })
    {}
    for await _ in loader.loadAll(resources).reporting(to: progress) {}

    let seen = steps.withLock(\.self)
    #expect(seen.map(\.completed) == [1, 2, 3, 4, 5])
    #expect(seen.map(\.failed) == [0, 0, 1, 1, 1])
    #expect(seen.map(\.fraction) == [0.2, 0.4, 0.6, 0.8, 1])
    #expect(progress.completedUnitCount == 5 && progress.totalUnitCount == 5)
  }
}
