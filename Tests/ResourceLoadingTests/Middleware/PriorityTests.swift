import Foundation
import PromiseModule
import ResourcePrimitives
import ResourceTesting
import TestSupport
import Testing

@testable import ResourceLoading

@Suite(.inTurn, .timeLimit(.minutes(10)))
struct PriorityTests {
  private let service = StubbedService()

  @Test func `of the waiting requests, urgent ones go first, and equal ones in order`()
    async throws
  {
    let gate = Gate()
    service.transport.stub("*", .status(.ok).waiting(for: gate))
    let client = try service.client(ConcurrencyLimitMiddleware(maximumRequestsPerHost: 1))
    let waiting: [(String, Request.Priority)] = [
      ("low", .low), ("one", .standard), ("urgent", .high), ("two", .standard), ("late", .high),
    ]

    var loads = [client.promise(for: Resource.void(.get("/first")))]
    try await service.transport.waitForRequests(count: 1)
    for (index, (name, priority)) in waiting.enumerated() {
      loads.append(client.promise(for: Resource.void(Request.get("/\(name)").priority(priority))))
      try await service.events.wait(for: index + 1, "queued")
    }
    gate.open()
    _ = try await Promise.all(loads).get()

    #expect(
      service.transport.requests.map { $0.url.path() } == [
        "/first", "/urgent", "/late", "/one", "/two", "/low",
      ])
  }

  @Test func `urgent requests go first across hosts`() {
    var limiter = ConcurrencyLimiter<String>(perHost: nil, total: 1)
    let a = Origin(scheme: "http", host: "a", port: 80)
    let b = Origin(scheme: "http", host: "b", port: 80)
    let first = limiter.enter(a)
    _ = limiter.wait(for: a, "a")
    let urgent = limiter.wait(for: b, "b", .high)

    #expect(first.flatMap { limiter.leave($0) } == "b")
    #expect(limiter.leave(urgent) == "a")
  }

  @Test(arguments: Request.Priority.allCases)
  func `priority and networks reach the transport`(_ priority: Request.Priority) async throws {
    service.transport.stub("*", .status(.ok))
    var request = Request.get("/").priority(priority)
    request.options.allowsCellularAccess = false
    request.options.allowsConstrainedNetworkAccess = false
    request.options.allowsExpensiveNetworkAccess = true

    try await service.client().load(.void(request))

    let sent = try #require(service.transport.requests.first)
    #expect(sent.priority == priority)
    #expect(sent.networkAccess.cellular == false && sent.networkAccess.constrained == false)
    #expect(sent.networkAccess.expensive == true)
  }

  @Test(arguments: Request.Priority.allCases, Engine.allCases)
  func `a request of any priority is loaded`(
    _ priority: Request.Priority, _ engine: Engine
  ) async throws {
    let server = try LoopbackServer { LoopbackRoute("*") { _ in .response(body: "ok") } }
    defer { server.stop() }

    let text = try await Client(engine).load(.text(Request.get(server.url()).priority(priority)))

    #expect(text == "ok")
  }
}
