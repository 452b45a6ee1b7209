import Foundation
import PromiseModule
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

/// Second requests for slow responses.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct HedgingTests {
  private let service = StubbedService()
  private var transport: StubTransport { service.transport }

  /// A client that has measured 40 responses, which came at once.
  private func client(extraRequests: Double = 1) async throws -> Client {
    let client = try service.client(
      HedgingMiddleware(minimumDelay: .milliseconds(10), extraRequests: extraRequests))
    transport.stub("/warm/*", .json("warm"))
    for number in 0..<40 { _ = try await client.load(slow(number)) }
    return client
  }

  private func slow(_ number: Int = 100) -> Resource<String> { .text(.get("/warm/\(number)")) }

  @Test func `the response that comes first is taken, and the other request is cancelled`()
    async throws
  {
    let (client, gate) = (try await client(), Gate())
    transport.stub("/warm/100", .json("first").waiting(for: gate), .json("second"))

    let load = client.promise(for: slow())
    try await transport.waitForRequests(count: 41)
    try await service.clock.waitForSleepers(count: 1)
    service.clock.advance(by: .milliseconds(10))

    #expect(try await load.get() == "second")
    #expect(try await transport.waitForCancellations(count: 1).count == 1)
    #expect(service.events.count(of: "hedged") == 1)
    #expect(transport.requests.count == 42)
  }

  @Test func `a second request that fails waits for the first`() async throws {
    let (client, gate) = (try await client(), Gate())
    transport.stub("/warm/100", .json("first").waiting(for: gate), .status(503))

    let load = client.promise(for: slow())
    try await transport.waitForRequests(count: 41)
    try await service.clock.waitForSleepers(count: 1)
    service.clock.advance(by: .milliseconds(10))
    try await service.events.wait(for: 41, "completed")
    gate.open()

    #expect(try await load.get() == "first")
  }

  @Test func `what fails before it is late is the answer`() async throws {
    let client = try await client()
    transport.stub("/warm/100", .status(503))

    let error = await #expect(throws: LoadError.self) { try await client.load(slow()) }

    #expect(error?.response?.status == 503)
    #expect(transport.requests.count == 41)
  }

  @Test func `nothing is sent twice without budget, with effects, or unmeasured`() async throws {
    let client = try await client(extraRequests: 0)
    let gate = Gate()
    for path in ["/warm/100", "POST /warm/1", "/other/1"] {
      transport.stub(path, .json("late").waiting(for: gate))
    }

    let loads = [
      client.promise(for: slow()), client.promise(for: .text(Request(.post, "/warm/\(1)"))),
      client.promise(for: .text(.get("/other/\(1)"))),
    ]
    try await transport.waitForRequests(count: 43)
    try await service.clock.waitForSleepers(count: 1)
    service.clock.advance(by: .seconds(10))
    gate.open()

    #expect(try await Promise.all(loads).get() == ["late", "late", "late"])
    #expect(transport.requests.count == 43)
  }

  @Test func `a cancelled load cancels both`() async throws {
    let (client, gate) = (try await client(), Gate())
    transport.stub("/warm/100", .json("late").waiting(for: gate))

    let load = client.promise(for: slow())
    try await transport.waitForRequests(count: 41)
    try await service.clock.waitForSleepers(count: 1)
    service.clock.advance(by: .milliseconds(10))
    try await transport.waitForRequests(count: 42)
    load.cancel()

    await #expect(throws: CancellationError.self) { try await load.get() }
    #expect(try await transport.waitForCancellations(count: 2).count == 2)
  }
}
