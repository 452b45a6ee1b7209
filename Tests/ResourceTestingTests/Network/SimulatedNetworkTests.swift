import Foundation
import PromiseModule
import ResourceLoading
import ResourceTesting
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(15))) struct SimulatedNetworkTests {
  private static func client(
    on network: SimulatedNetwork, retries: Int = 0, timeout: Duration? = nil
  ) -> Client {
    Client(baseURL: URL(string: "https://api.example.org")!) {
      $0.transport = network
      $0.clock = network.clock
      if let timeout { $0.options.timeout = timeout }
      let policy = RetryPolicy(maximumAttempts: retries + 1)
      $0.middleware = [RetryMiddleware(policy, using: SeededGenerator(seed: network.seed))]
    }
  }

  typealias Share = any WritableKeyPath<NetworkConditions, Double> & Sendable

  @Test func `a good network answers after its latency`() async throws {
    let network = SimulatedNetwork(
      seed: 1, conditions: NetworkConditions(latency: .seconds(30)...(.seconds(30))))
    network.serve("api.example.org") { .json(#"{"path": "\#($0.url.path())"}"#) }
    let text = try await network.run {
      try await Self.client(on: network).load(.text(.get("/users")))
    }
    #expect(text == #"{"path": "/users"}"#)
    #expect(network.clock.now.offset == .seconds(60))
    #expect(
      network.story == """
        0.0 s: request 1 is sent: GET api.example.org/users
        30.0 s: request 1 has arrived
        60.0 s: request 1 is answered
        """)
  }

  @Test func `a task that runs elsewhere and falls asleep last is woken`() async {
    for seed in 0..<200 {
      let network = SimulatedNetwork(seed: UInt64(seed))
      let clock = network.clock
      await network.run {
        await Task.detached { try? await clock.sleep(for: .seconds(1)) }.value
      }
      #expect(clock.now.offset >= .seconds(1))
    }
  }

  @Test func `the rate applies to the request's body and to the response`() async throws {
    var conditions = NetworkConditions(latency: .zero ... .zero)
    conditions.bytesPerSecond = 100
    let network = SimulatedNetwork(seed: 1, conditions: conditions)
    network.serve("api.example.org") { _ in .response(body: Data(count: 300)) }
    let body = try await network.run {
      try await Self.client(on: network)
        .load(.data(.post("/").body(.data(Data(count: 200)))))
    }
    #expect(body.count == 300)
    #expect(network.clock.now.offset >= .seconds(5))
    #expect(network.clock.now.offset < .seconds(5.1))
  }

  @Test func `a host that isn't there can't be resolved, and names aren't case-sensitive`()
    async throws
  {
    let network = SimulatedNetwork(seed: 1)
    network.serve("API.Example.ORG") { _ in .status(.noContent) }
    try await network.run {
      let client = Self.client(on: network)
      _ = try await client.load(.data(.get("/")))
      let error = await #expect(throws: LoadError.self) {
        try await client.load(.text(.get("https://other.example.org/")))
      }
      #expect(error?.kind == .connection)
      #expect(error?.reason.hasPrefix("the host name can't be resolved") == true)
    }
  }

  @Test(
    arguments: [
      (\.refusals, 0, "the server can't be reached"),
      (\.lostRequests, 0, "the connection was lost"),
      (\.lostAnswers, 1, "the connection was lost"),
      (\.cutAnswers, 1, "the connection was lost"),
      (\.stalledAnswers, 1, "took longer than"),
    ] as [(Share, Int, String)])
  func `each kind of failure does what it says, and shows whether the server had the request`(
    _ share: Share, arrived: Int, reason: String
  ) async throws {
    for seed in 0..<20 {
      var conditions = NetworkConditions()
      conditions[keyPath: share] = 1
      let network = SimulatedNetwork(seed: UInt64(seed), conditions: conditions)
      let arrivals = Counter()
      network.serve("api.example.org") { _ in
        arrivals.add()
        return .json(#"{"a": [1, 2, 3]}"#)
      }
      let error = await #expect(throws: LoadError.self) {
        try await network.run {
          try await Self.client(on: network, timeout: .seconds(30)).load(.text(.get("/")))
        }
      }
      #expect(error?.reason.contains(reason) == true, "\(error.debugDescription)\n\(network.story)")
      #expect(arrivals.count == arrived)
    }
  }

  @Test func `during an outage nothing gets through, and a retry after it succeeds`() async throws {
    var conditions = NetworkConditions(latency: .milliseconds(100)...(.milliseconds(100)))
    conditions.outages = [.zero..<(.milliseconds(500))]
    let network = SimulatedNetwork(seed: 3, conditions: conditions)
    network.serve("api.example.org") { _ in .json("1") }
    let value = try await network.run {
      try await Self.client(on: network, retries: 5).load(.json(.get("/"), as: Int.self))
    }
    #expect(value == 1)
    #expect(network.story.contains("0.0 s: request 1 fails: there is no network"))
    #expect(network.clock.now.offset >= .milliseconds(700))
  }

  @Test func `an outage breaks off what is under way, in both directions`() async throws {
    for (start, arrived) in [(50, 0), (150, 1)] {
      var conditions = NetworkConditions(latency: .milliseconds(100)...(.milliseconds(100)))
      conditions.outages = [.milliseconds(start)..<(.seconds(10))]
      let network = SimulatedNetwork(seed: 3, conditions: conditions)
      let arrivals = Counter()
      network.serve("api.example.org") { _ in
        arrivals.add()
        return .json("1")
      }
      let error = await #expect(throws: LoadError.self) {
        try await network.run { try await Self.client(on: network).load(.text(.get("/"))) }
      }
      #expect(error?.kind == .connection)
      #expect(arrivals.count == arrived)
    }
  }

  @Test func `cancelling a load ends its exchange`() async throws {
    let network = SimulatedNetwork(
      seed: 3, conditions: NetworkConditions(latency: .seconds(5)...(.seconds(5))))
    network.serve("api.example.org") { _ in .json("1") }
    await network.run {
      await withTaskGroup(of: Void.self) { group in
        group.addTask { _ = try? await Self.client(on: network).load(.text(.get("/"))) }
        try? await network.clock.sleep(for: .seconds(1))
        group.cancelAll()
      }
    }
    #expect(network.story.hasSuffix("1.0 s: request 1 is cancelled"))
  }

  @Test func `a seed gives the same story again, with many loads at once, retries and time limits`()
    async throws
  {
    func story(_ seed: UInt64) async -> String {
      let network = SimulatedNetwork(seed: seed, conditions: .bad)
      network.serve("api.example.org") { .json(#""\#($0.url.path())""#) }
      await network.run {
        let client = Self.client(on: network, retries: 3, timeout: .seconds(20))
        await withTaskGroup(of: Void.self) { group in
          for number in 0..<12 {
            group.addTask { _ = try? await client.load(.text(.get("/\(number % 7)"))) }
          }
        }
      }
      return network.story
    }
    var stories: Set<String> = []
    for seed in 0..<40 {
      let first = await story(UInt64(seed))
      let second = await story(UInt64(seed))
      #expect(first == second)
      stories.insert(first)
    }
    #expect(stories.count == 40)
  }

  @Test func `what happens to a request doesn't depend on other requests`() async throws {
    func fates(others: Int) async -> [Bool] {
      let network = SimulatedNetwork(seed: 11, conditions: .bad)
      network.serve("api.example.org") { _ in .json("1") }
      return await network.run {
        let client = Self.client(on: network, timeout: .seconds(60))
        var fates: [Bool] = []
        for _ in 0..<30 {
          for other in 0..<others { _ = try? await client.load(.text(.get("/other/\(other)"))) }
          fates.append((try? await client.load(.text(.get("/")))) != nil)
        }
        return fates
      }
    }
    let alone = await fates(others: 0)
    #expect(await fates(others: 2) == alone)
    #expect(Set(alone).count == 2)
  }

  @Test func `some network lets a write that is retried without a key take effect twice`()
    async throws
  {
    var found: UInt64?
    for seed in 0..<200 where found == nil {
      let network = SimulatedNetwork(seed: UInt64(seed), conditions: .bad)
      let transfers = Counter()
      network.serve("api.example.org") { _ in
        transfers.add()
        return .status(.noContent)
      }
      await network.run {
        let client = Self.client(on: network, timeout: .seconds(10))
        for _ in 0..<4 {
          if (try? await client.load(.data(.post("/transfers")))) != nil { return }
        }
      }
      if transfers.count > 1 { found = UInt64(seed) }
    }
    #expect(found != nil)
  }

  @Test func `callbacks and promises work on it, too`() async throws {
    let network = SimulatedNetwork(seed: 5)
    network.serve("api.example.org") { _ in .json("1") }
    try await network.run {
      let client = Self.client(on: network)
      let promise = client.promise(for: .text(.get("/")))
      let promised = try await promise.get()
      #expect(promised == "1")
      let text: String? = await withCheckedContinuation { continuation in
        client.load(.text(.get("/"))) { continuation.resume(returning: try? $0.get()) }
      }
      #expect(text == "1")
    }
  }

  @Test func `an answer that stalls ends by the idle limit, at the same time in each run`()
    async throws
  {
    var conditions = NetworkConditions(latency: .seconds(1)...(.seconds(9)))
    conditions.stalledAnswers = 1
    for seed in 0..<20 {
      var times: Set<Duration> = []
      for _ in 0..<2 {
        let network = SimulatedNetwork(seed: UInt64(seed), conditions: conditions)
        network.serve("api.example.org") { _ in .json(#"{"a": [1, 2, 3]}"#) }
        let error = await #expect(throws: LoadError.self) {
          try await network.run {
            try await Self.client(on: network).load(.data(.post("/").body(.data(Data(count: 9)))))
          }
        }
        #expect(error?.kind == .timedOut)
        times.insert(network.clock.now.offset)
      }
      #expect(times.count == 1)
      #expect(times.allSatisfy { $0 > .seconds(60) && $0 < .seconds(80) })
    }
  }

  @Test func `a task outside the network that falls asleep moves the clock`() async {
    for seed in 0..<200 {
      let network = SimulatedNetwork(seed: UInt64(seed))
      await network.run {
        await Task.detached { try? await network.clock.sleep(for: .seconds(5)) }.value
      }
      #expect(network.clock.now.offset == .seconds(5))
    }
  }

  @Test func `no time passes while a response is parsed`() async throws {
    let conditions = NetworkConditions(latency: .seconds(20)...(.seconds(20)))
    for seed in 0..<20 {
      let network = SimulatedNetwork(seed: UInt64(seed), conditions: conditions)
      network.serve("api.example.org") { _ in .response(body: Data(count: 100_000)) }
      let end = try await network.run {
        async let other: Void = network.clock.sleep(for: .seconds(41))
        let sum = Resource(.get("/")) { $0.body.reduce(0) { $0 + Int($1) } }
        _ = try await Self.client(on: network).load(sum)
        let end = network.clock.now.offset
        try await other
        return end
      }
      #expect(end == .seconds(40))
    }
  }

  @Test func `what the body throws is thrown, and the clock stands still after it`() async throws {
    struct Failure: Error {}
    let network = SimulatedNetwork(seed: 5)
    await #expect(throws: Failure.self) {
      try await network.run {
        Task { try? await network.clock.sleep(for: .seconds(9)) }
        try await network.clock.sleep(for: .seconds(3))
        throw Failure()
      }
    }
    #expect(network.clock.now.offset == .seconds(3))
  }
}

private final class Counter: Sendable {
  private let state = Mutex(0)

  var count: Int { state.withLock(\.self) }

  func add() { state.withLock { $0 += 1 } }
}
