import Foundation
import PromiseModule
import ResourceLoading
import ResourceTesting
import Testing

@testable import ResourceState

/// Sockets by which a server reports changes, of a client over a stub.
@MainActor
@Suite(.timeLimit(.minutes(15)))
struct SocketScenarios {
  private let transport = StubTransport()
  private let clock = ManualClock()
  private let client: Client
  private let live: LiveResources

  init() {
    client = Client(baseURL: URL(string: "https://api.example.org")) {
      [transport, clock] in ($0.transport, $0.clock) = (transport, clock)
    }
    live = LiveResources(client, options: .plain, clock: clock)
    stub("/a", "1")
    stub("/b", "1")
  }

  private func stub(_ path: String, _ text: String) {
    let headers: Headers = [.cacheControl: "max-age=1000"]
    transport.stub(path, .response(headers: headers, body: Data(text.utf8)))
  }

  private func loads(_ path: String) -> Int {
    transport.requests.count { $0.url.path() == path }
  }

  /// Messages that are there again after a second.
  private var messages: WebSocket.Messages {
    client.socket(.get("/live")) { $0.pingInterval = nil }.messages(
      reconnecting: RetryPolicy(
        maximumAttempts: 2, backoff: Backoff(base: .seconds(1), jitter: .none)))
  }

  private func wait(until condition: () -> Bool) async {
    while !condition() { await Task.yield() }
  }

  private func loaded(
    _ resource: Resource<String>, tags: Set<LiveTag> = []
  ) async -> LiveResource<String> {
    let resource = live.resource(resource, tags: tags)
    _ = resource.value
    await wait { resource.value != nil && !resource.isLoading }
    return resource
  }

  @Test func `a message of a socket changes a value, and another one invalidates it`() async {
    let gate = Gate()
    transport.stub("/live", .socket(.send("set 7"), .wait(gate), .send("changed")))
    let resource = await loaded(.a)

    let observation = live.follow(messages) { message, live in
      if message == "set 7" { live.set(.a, to: "7") } else { live.invalidate(.a) }
    }
    await wait { resource.value == "7" }
    stub("/a", "8")
    gate.open()
    await wait { resource.value == "8" }

    observation.cancel()
  }

  @Test func `what may have been missed is loaded when a socket is opened again`() async throws {
    let gate = Gate()
    transport.stub(
      "/live", .socket(.send("ready"), .wait(gate), .drop), .socket(.send("ready")))
    var received = 0
    let observation = live.follow(messages) { _, _ in received += 1 }
    await wait { received == 1 }
    let resource = await loaded(.a)
    #expect(resource.value == "1" && loads("/a") == 1)

    stub("/a", "2")
    gate.open()
    try await clock.waitForSleepers(count: 1, within: .seconds(1))
    #expect(loads("/a") == 1)
    clock.advance(by: .seconds(1))
    await wait { resource.value == "2" }

    #expect(!resource.isStale && loads("/a") == 2)
    observation.cancel()
  }

  @Test func `what was loaded before a socket was open is loaded again`() async throws {
    let gate = Gate()
    transport.stub("/live", .socket().waiting(for: gate))
    let observation = live.follow(messages) { _, _ in }
    let resource = await loaded(.a)
    try await gate.waitForArrivals(count: 1)

    stub("/a", "2")
    gate.open()
    await wait { resource.value == "2" }

    observation.cancel()
  }

  @Test func `a socket that is opened invalidates only the tags that it is about`() async {
    transport.stub("/live", .socket(.send("ready")))
    let about = await loaded(.a, tags: ["live"])
    let other = await loaded(.b, tags: ["other"])
    var isReady = false

    let observation = live.follow(messages, about: ["live"]) { _, _ in isReady = true }
    await wait { isReady && loads("/a") == 2 && !about.isLoading }

    #expect(!other.isStale && !other.isLoading && loads("/b") == 1)
    observation.cancel()
  }

  @Test func `a resource is stale before the first message of a new connection`() async throws {
    let gate = Gate()
    transport.stub("/live", .socket(.send("ready")).waiting(for: gate))
    let resource = await loaded(.a)
    var wasStale: Bool?

    let observation = live.follow(messages) { _, _ in wasStale = resource.isStale }
    try await gate.waitForArrivals(count: 1)
    #expect(!resource.isStale)
    gate.open()
    await wait { wasStale != nil }

    #expect(wasStale == true)
    observation.cancel()
  }

  @Test func `a cancelled observation closes its socket`() async {
    let gate = Gate()
    transport.stub("/live", .socket(.send("ready"), .wait(gate), .send("late")))
    var received: [WebSocket.Message] = []
    let observation = live.follow(messages) { message, _ in received.append(message) }
    await wait { received == ["ready"] }

    observation.cancel()
    await wait { transport.sockets.first?.isOpen == false }
    gate.open()

    #expect(received == ["ready"])
  }

  @Test func `signing out closes sockets`() async {
    let gate = Gate()
    transport.stub("/live", .socket(.send("ready"), .wait(gate), .send("late")))
    var (received, ends) = ([WebSocket.Message](), 0)
    let observation = live.follow(messages) { message, _ in
      received.append(message)
    } onEnd: { _ in
      ends += 1
    }
    await wait { received == ["ready"] }

    live.removeAll()
    await wait { transport.sockets.first?.isOpen == false }
    gate.open()
    await wait { live.turns.count == 0 }

    #expect(received == ["ready"] && ends == 0)
    observation.cancel()
  }

  @Test func `a socket that is given up reports its error, and what it is about is loaded`() async {
    transport.stub("/live", .status(403))
    let resource = await loaded(.a)
    stub("/a", "2")
    var ends: [(any Error)?] = []

    let observation = live.follow(messages) { _, _ in
    } onEnd: {
      ends.append($0)
    }
    await wait { !ends.isEmpty && resource.value == "2" }

    #expect(ends.count == 1)
    #expect((ends.first as? LoadError)?.response?.status == .forbidden)
    observation.cancel()
  }
}
