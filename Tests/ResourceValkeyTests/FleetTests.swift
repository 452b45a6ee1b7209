#if Valkey && os(Linux)
  import CacheTestSupport
  import Foundation
  import ResourceCache
  import ResourceLoading
  import ResourceTesting
  import TestSupport
  import Testing

  @testable import ResourceValkey

  /// Many processes that miss the same response at once.
  @Suite(.needsServer, .inTurn, .serialized, .timeLimit(.minutes(15)))
  struct FleetTests {
    @Test func `16 processes with 1,000 loads each send one request`() async throws {
      let (server, requests) = (try TestServer(), Counter())
      let service = try LoopbackServer {
        LoopbackRoute("GET /a") { _ in
          requests.next()
          return .response(headers: ["Cache-Control": "max-age=60"], body: "shared")
        }
      }
      defer { service.stop() }
      let (path, url) = (server.path, service.url().absoluteString)

      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<16 {
          group.addTask {
            await #expect(processExitsWith: .success) {
              [path = path as String, url = url as String] in
              Watchdog.endsProcess()
              try await Self.load(from: url, path)
            }
          }
        }
      }

      #expect(requests.value == 1)
    }

    /// Loads 1,000 times at once, when 16 processes are ready.
    private static func load(from url: String, _ path: String) async throws {
      let server = ValkeyServer(.unixSocket(path)) {
        $0.timeLimit = .seconds(60)
        $0.connectTimeLimit = .seconds(60)
      }
      let storage = ValkeyResponseStorage(server, leaseTime: .seconds(300))
      let client = Client(baseURL: URL(string: url)) {
        $0.middleware = [CoalescingMiddleware(), HTTPCache(storage)]
      }
      _ = try await server.run { _ in [Command("INCR", "ready")] }
      while try await server.run({ _ in [Command("GET", "ready")] })?.first?.integer != 16 {
        usleep(1000)
      }
      try await withThrowingTaskGroup(of: String.self) { group in
        for _ in 0..<1000 { group.addTask { try await client.load(.text(.get("/a"))) } }
        for try await text in group {
          try #require(text == "shared")
        }
      }
    }

    @Test func `loads of one process that aren't coalesced send one request as well`()
      async throws
    {
      let server = try TestServer()
      let services = (0..<4).map { _ in
        CachedService(ValkeyResponseStorage(server.connect(), leaseTime: .seconds(300))) {
          $0.clock = ContinuousClock()
        }
      }
      let gate = Gate()
      for service in services {
        service.transport.stub("GET /a", CachedService.fresh("shared").waiting(for: gate))
      }

      try await withThrowingTaskGroup(of: String.self) { group in
        for service in services {
          for _ in 0..<20 { group.addTask { try await service.load("/a").text } }
        }
        while services.allSatisfy(\.transport.requests.isEmpty) { await Task.yield() }
        gate.open()
        for try await text in group { #expect(text == "shared") }
      }

      #expect(services.reduce(0) { $0 + $1.transport.requests.count } == 1)
    }
  }
#endif
