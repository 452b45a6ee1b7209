import Foundation
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

@Suite(.inTurn, .timeLimit(.minutes(10)))
struct LongestWaitTests {
  @Test func `a wait that no clock can count ends with the load's time, and not the process`()
    async throws
  {
    let transport = StubTransport()
    transport.stub("*", .status(200))
    let url = try #require(URL(string: "https://api.example.org"))
    let client = Client(baseURL: url) {
      $0.transport = transport
      $0.middleware = [RateLimitMiddleware(1, per: .seconds(Int64.max))]
    }
    try await client.load(.void(.get("/")))

    let error = await #expect(throws: LoadError.self) {
      try await client.load(.void(Request.get("/").timeout(.milliseconds(50))))
    }

    #expect(error?.kind == .timedOut)
    #expect(transport.requests.count == 1)
  }
}
