import Foundation
import PromiseModule
import ResourceLoading
import ResourceTesting
import Synchronization
import TestSupport
import Testing

/// Deadlines of tasks.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct DeadlineTests {
  private let service = StubbedService()
  private let gate = Gate()

  @Test func `a load ends at the deadline of its caller, in every form`() async throws {
    service.transport.stub("*", .json("late").waiting(for: gate))
    let (client, resource) = (try service.client(timeout: .seconds(60)), Resource.text(.get("/")))

    let loads = await Deadline.within(.seconds(2), clock: service.clock) {
      let promise = client.promise(for: resource)
      let (called, resolver) = Promise<String>.pending()
      client.load(resource) { resolver.resolve($0) }
      let awaited = Promise { try await client.load(resource) }
      try? await service.clock.waitForSleepers(count: 3, within: .seconds(2))
      service.clock.advance(by: .seconds(2))
      return [promise, called, awaited]
    }

    for load in loads {
      let error = await #expect(throws: LoadError.self) { try await load.get() }
      #expect(error?.kind == .timedOut)
    }
  }

  @Test func `nested deadlines only get earlier, and a passed one sends nothing`() async throws {
    let client = try service.client()
    let clock = service.clock
    let found = await Deadline.within(.seconds(5), clock: clock) {
      await Deadline.within(.seconds(9), clock: clock) {
        await Deadline.within(nil, clock: clock) {
          let first = Deadline.current?.remaining
          clock.advance(by: .seconds(7))
          let error = await #expect(throws: LoadError.self) {
            try await client.load(.text(.get("/")))
          }
          return (first, Deadline.current?.remaining, error?.kind)
        }
      }
    }

    #expect(found.0 == .seconds(5) && found.1 == .zero && found.2 == .timedOut)
    #expect(Deadline.current == nil)
    #expect(service.transport.requests.isEmpty)
  }

  @Test func `loads with different deadlines share a request, which goes on for the most patient`()
    async throws
  {
    service.transport.stub("*", .json("ok").waiting(for: gate))
    let client = try service.client(CoalescingMiddleware())

    var loads: [Promise<String>] = []
    for second in 1...50 {
      loads.append(
        await Deadline.within(.seconds(second), clock: service.clock) {
          client.promise(for: Resource.text(.get("/")))
        })
    }
    try await service.events.wait(for: 49, "coalesced")
    service.clock.advance(by: .seconds(49))
    for load in loads.dropLast() { await #expect(throws: LoadError.self) { try await load.get() } }
    gate.open()

    #expect(try await loads.last?.get() == "ok")
    #expect(service.transport.requests.count == 1)
  }

  @Test func `a thousand loads with deadlines send one request for each address`() async throws {
    service.transport.stub("*", .json("ok").waiting(for: gate))
    let client = try service.client(CoalescingMiddleware())

    var loads: [Promise<String>] = []
    for number in 0..<1000 {
      loads.append(
        await Deadline.within(.seconds(30) + .milliseconds(number), clock: service.clock) {
          client.promise(for: Resource.text(.get("/\(number % 50)")))
        })
    }
    try await service.events.wait(for: 950, "coalesced")
    gate.open()

    #expect(try await Promise.all(loads).get().count == 1000)
    #expect(service.transport.requests.count == 50)
  }

  @Test func `a renewal of a token isn't bound by the deadline of the load that began it`()
    async throws
  {
    let renewal = Gate()
    let left = Mutex<[Duration?]>([])
    let authentication = BearerAuthentication { _, loader in
      left.withLock { $0.append(Deadline.current?.remaining) }
      try await renewal.opened()
      return BearerToken("new")
    }
    service.transport.stub("*", .json("ok"))
    let client = try service.client(authentication)

    let hasty = await Deadline.within(.seconds(1), clock: service.clock) {
      client.promise(for: Resource.text(.get("/1")))
    }
    try await service.events.wait(for: 1, "refreshingCredential")
    let patient = client.promise(for: Resource.text(.get("/2")))
    try await service.events.wait(for: 2, "refreshingCredential")
    service.clock.advance(by: .seconds(1))
    let error = await #expect(throws: LoadError.self) { try await hasty.get() }
    renewal.open()

    #expect(error?.kind == .timedOut)
    #expect(try await patient.get() == "ok")
    #expect(left.withLock(\.self) == [nil])
  }

  @Test func `the server gets what is left, and reads it`() async throws {
    service.transport.stub("*", .json("ok"))
    let client = try service.client(
      DeadlineMiddleware("X-Left"), DeadlineMiddleware("X-Until", as: .date), timeout: .seconds(3))

    _ = try await Deadline.within(.milliseconds(1250), clock: service.clock) {
      try await client.load(.text(.get("/")))
    }
    _ = try await client.load(service.other())
    let (own, other) = (
      service.transport.requests[0].headers, service.transport.requests[1].headers
    )
    let until = try #require(
      Deadline.Format.date.remaining(in: own["X-Until"], at: Date().addingTimeInterval(-10)))

    #expect(own["X-Left"] == "1250" && other["X-Left"] == nil)
    #expect(Deadline.Format.milliseconds.remaining(in: own["X-Left"]) == .milliseconds(1250))
    #expect(until > .seconds(9) && until < .seconds(13))
  }

  @Test(arguments: [nil, "", "-1", "1.5", "soon", "99999999999999999999999"])
  func `what isn't a number of milliseconds is no deadline`(_ value: String?) {
    #expect(Deadline.Format.milliseconds.remaining(in: value) == nil)
    #expect(Deadline.Format.date.remaining(in: value) == nil)
  }
}
