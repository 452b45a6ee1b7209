import Foundation
import PromiseModule
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite(.inTurn, .timeLimit(.minutes(10)))
struct QuietCancellationTests {
  @Test func `cancelling prints nothing`() async throws {
    let result = try await #require(
      processExitsWith: .success, observing: [\.standardErrorContent, \.standardOutputContent]
    ) {
      let server = try LoopbackServer { LoopbackRoute("*") { _ in .silence } }
      defer { server.stop() }
      for engine in Engine.allCases {
        let client = Client(engine, baseURL: server.url()) {
          $0.middleware = [CoalescingMiddleware(), RetryMiddleware()]
        }
        try await Self.cancelLoads(with: client, .get("/"), at: server)
        client.cancelAll()
      }
      try await Self.cancelLoads(with: makeSession(), .get(server.url()), at: server)
    }

    #expect(String(decoding: result.standardErrorContent, as: UTF8.self).isEmpty)
    #expect(String(decoding: result.standardOutputContent, as: UTF8.self).isEmpty)
  }

  /// Cancels a load in each form while it waits for its response.
  private static func cancelLoads(
    with loader: some Loader, _ request: Request, at server: LoopbackServer
  ) async throws {
    for form in Form.allCases {
      let count = server.requests.count
      let load = CancellableLoad(form, .text(request), with: loader)
      _ = try await server.waitForRequests(count: count + 1)
      load.cancel()
      _ = await load.result
    }
    // A promise without observers.
    loader.promise(for: Resource.text(request)).cancel()
  }
}
