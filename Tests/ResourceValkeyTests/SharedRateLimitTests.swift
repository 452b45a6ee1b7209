#if Valkey && os(Linux)
  import CacheTestSupport
  import Foundation
  import Glibc
  import ResourceLoading
  import ResourceTesting
  import TestSupport
  import Testing

  @testable import ResourceValkey

  @Suite(.needsServer, .inTurn, .timeLimit(.minutes(15)))
  struct SharedRateLimitTests {
    /// A process with a client and a connection of its own.
    private struct Member {
      let client: Client
      let transport = StubTransport()
      let clock = ManualClock()
      /// Runs as long as its members exist.
      let server: TestServer?

      init(_ limit: SharedRateLimitMiddleware, _ server: TestServer? = nil) {
        self.server = server
        let (transport, clock) = (transport, clock)
        transport.stub("GET *", .status(204))
        client = Client(baseURL: URL(string: "https://api.example.org")) {
          $0.transport = transport
          $0.clock = clock
          $0.middleware = [limit]
        }
      }
    }

    private func fleet(
      _ server: TestServer, _ count: Int, per duration: Duration = .seconds(1000)
    ) -> [Member] {
      (0..<3).map { _ in
        Member(SharedRateLimitMiddleware(count, per: duration, on: server.connect()), server)
      }
    }

    @Test func `all processes together send as many requests as the limit allows`() async throws {
      let fleet = fleet(try TestServer(), 10)
      let loads = (0..<10).flatMap { _ in
        fleet.map { member in Task { try await member.client.load(.void(.get("/a"))) } }
      }

      // Each load has sent its request, or waits by its clock.
      while fleet.reduce(0, { $0 + $1.transport.requests.count + $1.clock.sleepers }) < 30 {
        await Task.yield()
      }
      #expect(fleet.reduce(0) { $0 + $1.transport.requests.count } == 10)
      for load in loads { load.cancel() }
    }

    @Test func `separate processes share a limit`() async throws {
      let (server, requests) = (try TestServer(), Counter())
      let service = try LoopbackServer {
        LoopbackRoute("GET /a") { _ in
          requests.next()
          return .response(body: "ok")
        }
      }
      defer { service.stop() }
      let (path, url) = (server.path, service.url().absoluteString)

      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<4 {
          group.addTask {
            await #expect(processExitsWith: .success) {
              [path = path as String, url = url as String] in
              Watchdog.endsProcess()
              try await Self.load(from: url, path)
            }
          }
        }
      }

      #expect(requests.value == 30)
    }

    /// Loads 20 times at once, and ends when each load has ended or waits.
    private static func load(from url: String, _ path: String) async throws {
      let server = ValkeyServer(.unixSocket(path)) {
        $0.timeLimit = .seconds(60)
        $0.connectTimeLimit = .seconds(60)
      }
      let count = Counter()
      let client = Client(baseURL: URL(string: url)) {
        $0.middleware = [SharedRateLimitMiddleware(30, per: .seconds(10_000), on: server)]
        $0.maximumRequestsPerHost = nil
        $0.observer = { event in
          switch event.kind {
          case .queued, .parsed: count.next()
          case .failed: exit(1)
          default: break
          }
        }
      }
      let loads = (0..<20).map { _ in client.promise(for: Resource.text(.get("/a"))) }
      while count.value < 20 { usleep(1000) }
      exit(loads.isEmpty ? 1 : 0)
    }

    @Test func `turns that are to come are spaced as the limit demands, in order of arrival`()
      async throws
    {
      let member = fleet(try TestServer(), 2)[0]
      for _ in 0..<2 { try await member.client.load(.void(.get("/a"))) }
      var loads: [Task<Void, any Error>] = []
      for count in 1...4 {
        loads.append(Task { try await member.client.load(.void(.get("/\(count)"))) })
        try await member.clock.waitForSleepers(count: count, within: .seconds(2100))
      }

      for span in 1...2 {
        member.clock.advance(by: .seconds(1001))
        try await member.transport.waitForRequests(count: 2 + 2 * span)
        #expect(member.transport.requests.count == 2 + 2 * span)
      }

      for load in loads { try await load.value }
      #expect(
        member.transport.requests.suffix(4).map { $0.url.path() }.sorted() == [
          "/1", "/2", "/3", "/4",
        ])
    }

    @Test func `hosts are counted separately`() async throws {
      let member = fleet(try TestServer(), 1)[0]

      try await member.client.load(.void(.get("/a")))
      try await member.client.load(.void(Request(url: try #require(URL(string: "https://b.org/")))))

      #expect(member.transport.requests.count == 2)
    }

    @Test func `a load that can't wait long enough takes no turn`() async throws {
      let member = fleet(try TestServer(), 1)[0]
      try await member.client.load(.void(.get("/a")))
      let impatient = Task {
        try await member.client.load(.void(.get("/b").timeout(.seconds(5))))
      }
      try await member.clock.waitForSleepers(count: 1, within: .seconds(6))
      member.clock.advance(by: .seconds(6))
      await #expect(throws: LoadError.self) { try await impatient.value }

      let patient = Task { try await member.client.load(.void(.get("/c"))) }
      try await member.clock.waitForSleepers(count: 1, within: .seconds(1000))
      member.clock.advance(by: .seconds(1000))
      try await patient.value
    }

    @Test func `without the server each process applies the limit by itself`() async throws {
      let server = ValkeyServer(.unixSocket("/none")) {
        $0.pauses = .seconds(1000) ... .seconds(1000)
      }
      let member = Member(SharedRateLimitMiddleware(2, per: .seconds(10), on: server))
      for _ in 0..<2 { try await member.client.load(.void(.get("/a"))) }
      let third = Task { try await member.client.load(.void(.get("/a"))) }

      try await member.clock.waitForSleepers(count: 1, within: .seconds(10))
      #expect(member.transport.requests.count == 2)
      member.clock.advance(by: .seconds(10))
      try await third.value
    }
  }
#endif
