import Foundation
import PromiseModule
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Cancellation at every moment and in every form: no crash, no hang, one completion each.
@Suite(.inTurn, .serialized, .timeLimit(.minutes(10)))
struct CancellationTests {
  @Test(arguments: Means.allCases)
  func `a load of a cancelled task sends nothing`(_ means: Means) async throws {
    let server = try LoopbackServer { LoopbackRoute("*") { _ in .response(body: "ok") } }
    defer { server.stop() }
    let session = means.makeLoader()
    let start = Gate()

    let task = Task {
      try? await start.opened()
      return await Form.await.load(.data(server.url("/never")), with: session)
    }
    task.cancel()
    start.open()
    let result = await task.value
    _ = try await session.load(.data(server.url("/last")))

    #expect(result.failure is CancellationError)
    #expect(server.requests.map(\.target) == ["/last"])
  }

  @Test(arguments: Form.allCases, Means.allCases)
  func `cancelling while the server is silent ends the load immediately`(
    _ form: Form, _ means: Means
  )
    async throws
  {
    let server = try LoopbackServer { LoopbackRoute("GET /") { _ in .silence } }
    defer { server.stop() }
    let session = means.makeLoader()
    let resource = Resource.data(server.url("/"))

    let load = CancellableLoad(form, resource, with: session)
    _ = try await server.waitForRequests(count: 1)
    load.cancel()
    let result = await load.result

    #expect(result.failure is CancellationError)
    try await server.waitForDisconnects(count: 1)
  }

  @Test(arguments: Form.allCases)
  func `ten thousand loads cancelled at random complete once each and leave nothing behind`(
    _ form: Form
  ) async {
    // A child process has its own descriptors, threads and memory, and its crash is a failure.
    await #expect(processExitsWith: .success) { [form] in
      Watchdog.endsProcess()
      try await CancellationStress(form: form).run(loads: 10_000)
    }
  }

  @Test(arguments: Form.allCases, Engine.allCases)
  func `ten thousand loads of a client cancelled at random complete once each`(
    _ form: Form, _ engine: Engine
  ) async {
    await #expect(processExitsWith: .success) { [form, engine] in
      Watchdog.endsProcess()
      try await CancellationStress(form: form, loader: Client(engine), allowance: 64)
        .run(loads: 10_000)
    }
  }
}
