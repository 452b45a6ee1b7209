import CacheTestSupport
import Foundation
import ResourceLoading
import ResourceTesting
import Synchronization
import TestSupport
import Testing

@testable import ResourceCache

/// Processes that share a storage, each simulated by a cache and a client of its own.
@Suite(.inTurn, .timeLimit(.minutes(15)))
struct LeaseTests {
  typealias Service = CachedService

  private let storage = LeasingStorage()

  /// Two services whose first request of `/a` stops at a gate, so that the second one waits.
  private func pair(
    _ first: StubAnswer, _ second: StubAnswer = Service.fresh("two")
  ) -> (first: Service, second: Service, gate: Gate) {
    let gate = Gate()
    let services = (Service(storage), Service(storage))
    services.0.transport.stub("GET /a", first.waiting(for: gate))
    services.1.transport.stub("GET /a", second)
    return (services.0, services.1, gate)
  }

  private func path(_ service: Service, _ headers: Headers = [:]) -> Task<Loaded, any Error> {
    Task { try await service.load("/a", headers) }
  }

  @Test func `a process waits for the response that another one requests, and uses it`()
    async throws
  {
    let (first, second, gate) = pair(Service.fresh("one"))
    let loading = path(first)
    try await first.transport.waitForRequests(count: 1)
    let waiting = path(second)
    try await second.clock.waitForSleepers(count: 1, within: .milliseconds(300))
    gate.open()
    #expect(try await loading.value.text == "one")

    second.clock.advance(by: .milliseconds(5))

    #expect(try await waiting.value.text == "one")
    #expect(second.transport.requests.isEmpty)
    #expect(storage.leaseCount == 0)
  }

  @Test func `a process whose lease lasts too long is no longer waited for`() async throws {
    let (first, second, gate) = pair(Service.fresh("one"))
    let loading = path(first)
    try await first.transport.waitForRequests(count: 1)
    let waiting = path(second)

    while second.transport.requests.isEmpty {
      try await second.clock.waitForSleepers(count: 1, within: .milliseconds(300))
      second.clock.advanceToNextDeadline()
      if second.clock.now.offset >= LeasingStorage.time { break }
    }

    #expect(try await waiting.value.text == "two")
    #expect(second.clock.now.offset == LeasingStorage.time)
    gate.open()
    _ = try await loading.value
  }

  @Test func `after a request that failed, the next process sends its own`() async throws {
    let (first, second, gate) = pair(.status(503))
    let loading = path(first)
    try await first.transport.waitForRequests(count: 1)
    let waiting = path(second)
    try await second.clock.waitForSleepers(count: 1, within: .milliseconds(300))
    gate.open()
    _ = await loading.result

    second.clock.advance(by: .milliseconds(5))

    #expect(try await waiting.value.text == "two")
    #expect(second.transport.requests.count == 1)
    #expect(storage.outcomes == [.failed, .stored])
  }

  @Test(arguments: ["no-store", "no-cache", "max-age=0"])
  func `nobody waits again for a response that can't be shared`(control: String) async throws {
    let (first, second, gate) = pair(Service.fresh("one", [.cacheControl: control]))
    let loading = path(first)
    try await first.transport.waitForRequests(count: 1)
    let waiting = path(second)
    try await second.clock.waitForSleepers(count: 1, within: .milliseconds(300))
    gate.open()
    _ = try await loading.value

    second.clock.advance(by: .milliseconds(5))

    #expect(try await waiting.value.text == "two")
    #expect(storage.outcomes.first == .notShared)
  }

  @Test func `a stale response that may be used is used meanwhile, and revalidated once`()
    async throws
  {
    let headers: Headers = [.cacheControl: "max-age=10, stale-while-revalidate=60"]
    let (first, second, gate) = pair(Service.fresh("one", headers))
    gate.open()
    _ = try await first.load("/a")
    for service in [first, second] { service.clock.advance(by: .seconds(20)) }
    let closed = Gate()
    first.transport.stub("GET /a", Service.fresh("new", headers).waiting(for: closed))

    #expect(try await first.load("/a").text == "one")
    try await first.transport.waitForRequests(count: 2)
    for _ in 0..<3 { #expect(try await second.load("/a").text == "one") }
    closed.open()
    try await first.transport.waitUntilIdle()
    try await storage.waitForOutcomes(2)

    #expect(try await second.load("/a").text == "new")
    #expect(second.transport.requests.isEmpty)
  }

  @Test(arguments: [Request.CachePolicy.networkOnly, .reload])
  func `a load that wants a new response doesn't wait`(policy: Request.CachePolicy) async throws {
    let (first, second, gate) = pair(Service.fresh("one"))
    let loading = path(first)
    try await first.transport.waitForRequests(count: 1)

    let loaded = try await second.load(Request(.get, "/a").cachePolicy(policy))

    #expect(loaded.text == "two")
    gate.open()
    _ = try await loading.value
  }

  @Test func `a variant that is known by its Vary doesn't wait for another one`() async throws {
    let headers: Headers = [.cacheControl: "max-age=10", .vary: "Accept-Language"]
    let (first, second, gate) = pair(Service.fresh("de", headers), Service.fresh("en", headers))
    gate.open()
    _ = try await first.load("/a", [.acceptLanguage: "de"])
    for service in [first, second] { service.clock.advance(by: .seconds(20)) }
    let closed = Gate()
    first.transport.stub("GET /a", Service.fresh("de", headers).waiting(for: closed))
    let loading = path(first, [.acceptLanguage: "de"])
    try await first.transport.waitForRequests(count: 2)

    #expect(try await second.load("/a", [.acceptLanguage: "en"]).text == "en")

    closed.open()
    _ = try await loading.value
  }

  @Test func `a load that is cancelled ends its lease`() async throws {
    let (first, second, gate) = pair(Service.fresh("one"))
    let loading = path(first)
    try await first.transport.waitForRequests(count: 1)

    loading.cancel()
    _ = await loading.result

    try await storage.waitForOutcomes(1)
    #expect(try await second.load("/a").text == "two")
    gate.open()
  }

  @Test func `a storage in front of a shared one finds what another process has stored`()
    async throws
  {
    let (front, first) = (MemoryResponseStorage(), Service(storage))
    let second = Service(TieredResponseStorage(front, before: storage))
    let headers: Headers = [.cacheControl: "max-age=10"]
    let gate = Gate()
    first.transport.stub("GET /a", Service.fresh("one", headers))
    second.transport.stub("GET /a", Service.fresh("two", headers))
    _ = try await first.load("/a")
    #expect(try await second.load("/a").text == "one")
    for service in [first, second] { service.clock.advance(by: .seconds(20)) }
    first.transport.stub("GET /a", Service.fresh("new", headers).waiting(for: gate))
    let loading = path(first)
    try await first.transport.waitForRequests(count: 2)
    let waiting = path(second)
    try await second.clock.waitForSleepers(count: 1, within: .milliseconds(300))
    gate.open()
    _ = try await loading.value

    second.clock.advance(by: .milliseconds(5))

    #expect(try await waiting.value.text == "new")
    #expect(second.transport.requests.isEmpty)
  }

  @Test func `a storage whose leases fail is used without them`() async throws {
    let service = Service(storage)
    service.transport.stub("GET /a", Service.fresh("one"))
    storage.failLeases()

    #expect(try await service.load("/a").text == "one")
    #expect(service.failures.count == 1)
  }

  @Test func `the waiting time grows, and ends with the lease or half of the load's time`() {
    var (wait, now) = (LeaseWait(since: .zero), Duration.zero)
    var pauses: [Duration] = []
    while let pause = wait.pause(at: now, leaseTime: .seconds(5), remainingTime: .seconds(6)) {
      pauses.append(pause)
      now += pause
    }
    #expect(now == .seconds(3))
    #expect(pauses.first == .milliseconds(5) && pauses.max() == .milliseconds(250))
    #expect(pauses.count < 40)
  }
}

/// A storage in memory with leases.
private final class LeasingStorage: ResponseStorage {
  static let time = Duration.seconds(5)

  private struct Fault: Error {}

  private struct State {
    var leases: [String: String] = [:]
    var unneeded: Set<String> = []
    var outcomes: [ResponseLease.Outcome] = []
    var fails = false
    var waiting: [(count: Int, gate: Gate)] = []
  }

  private let memory = MemoryResponseStorage()
  private let state = Mutex(State())

  var leaseCount: Int { state.withLock(\.leases.count) }
  var outcomes: [ResponseLease.Outcome] { state.withLock(\.outcomes) }

  func failLeases() { state.withLock { $0.fails = true } }

  func waitForOutcomes(_ count: Int) async throws {
    let gate = Gate()
    state.withLock { state in
      if state.outcomes.count >= count { gate.open() } else { state.waiting.append((count, gate)) }
    }
    try await gate.opened()
  }

  func responses(for key: CacheKey) async -> [StoredResponse] { memory.responses(for: key) }
  func mark() async -> RemovalMark { memory.mark() }
  func store(_ response: StoredResponse, for key: CacheKey, since mark: RemovalMark) async {
    memory.store(response, for: key, since: mark)
  }
  func remove(_ scope: CacheScope) async { memory.remove(scope) }

  func lease(for key: CacheKey, variant: String) async throws -> ResponseLease {
    let name = "\(key.url) \(key.partition.name) \(variant)"
    return try state.withLock { state in
      if state.fails { throw Fault() }
      if state.unneeded.contains(name) { return .notNeeded }
      if state.leases[name] != nil { return .taken(Self.time) }
      let token = UUID().uuidString
      state.leases[name] = token
      return .granted(token: token)
    }
  }

  func endLease(
    _ token: String, for key: CacheKey, variant: String, _ outcome: ResponseLease.Outcome
  ) {
    let name = "\(key.url) \(key.partition.name) \(variant)"
    let gates = state.withLock { state in
      if state.leases[name] == token { state.leases[name] = nil }
      if outcome == .notShared { state.unneeded.insert(name) }
      state.outcomes.append(outcome)
      return state.waiting.filter { $0.count <= state.outcomes.count }.map(\.gate)
    }
    for gate in gates { gate.open() }
  }
}
