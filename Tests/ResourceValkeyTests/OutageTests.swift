#if Valkey && os(Linux)
  import CacheTestSupport
  import Foundation
  import ResourceCache
  import ResourceLoading
  import ResourceTesting
  import TestSupport
  import Testing

  @testable import ResourceValkey

  /// A server that is gone, slow, full or refuses.
  @Suite(.needsServer, .inTurn, .timeLimit(.minutes(15)))
  struct OutageTests {
    private func service(_ server: ValkeyServer) -> CachedService {
      // A lease that a killed server has granted ends in real time.
      let service = CachedService(ValkeyResponseStorage(server)) { $0.clock = ContinuousClock() }
      service.transport.stub("GET *") { request in
        CachedService.fresh("\(request.url.path(percentEncoded: false)) of the server")
      }
      return service
    }

    @Test func `loads succeed while the server is killed at random and started again`() async throws
    {
      let server = try TestServer()
      let connections = (0..<3).map { _ in server.connect { $0.pauses = .zero ... .zero } }
      let services = connections.map(service)
      let isOver = Shared(false)

      try await withThrowingTaskGroup(of: Void.self) { group in
        for (index, service) in services.enumerated() {
          for worker in 0..<4 {
            group.addTask {
              var random = SeededGenerator(seed: UInt64(index * 10 + worker))
              while !isOver.value {
                let path = "/\(Int.random(in: 0..<20, using: &random))"
                if Int.random(in: 0..<20, using: &random) == 0 {
                  try? await service.cache.remove(
                    try #require(URL(string: "https://api.example.org\(path)")))
                }
                let loaded = try await service.load(RequestPath(encoded: path))
                #expect(loaded.text == "\(path) of the server")
              }
            }
          }
        }
        for _ in 0..<10 {
          // Until some loads have used the server.
          let count = services[0].events.count
          var tries = 0
          while services[0].events.count < count + 20, tries < 100_000 {
            await Task.yield()
            tries += 1
          }
          server.kill()
          try server.start()
        }
        isOver.value = true
        try await group.waitForAll()
      }

      // Whoever finds the server unavailable has it tried.
      for service in services { while try await !service.usesCache { await Task.yield() } }
    }

    @Test func `nothing waits for a server that is known to be gone`() async throws {
      let server = try TestServer()
      let connection = server.connect { $0.pauses = .seconds(1000) ... .seconds(1000) }
      let service = service(connection)
      _ = try await service.load("/a")
      #expect(connection.isAvailable)
      server.kill()

      _ = try await service.load("/a")

      #expect(!connection.isAvailable)
      let failures = service.failures.count
      for number in 0..<100 { _ = try await service.load("/\(number)") }
      #expect(service.failures.count > failures)
      #expect(service.failures.allSatisfy { $0.contains(server.path) })
    }

    @Test func `a server that doesn't respond delays a load by its time limit, and later ones not`()
      async throws
    {
      let server = try TestServer()
      let connection = server.connect {
        $0.timeLimit = .milliseconds(50)
        $0.connectTimeLimit = .milliseconds(50)
        $0.pauses = .seconds(1000) ... .seconds(1000)
      }
      let service = service(connection)
      // A busy machine can exceed such a limit, too.
      _ = try await service.load("/a")
      server.suspend()
      defer { server.resume() }

      #expect(try await service.load("/b").text == "/b of the server")

      #expect(!connection.isAvailable)
      for number in 0..<100 { _ = try await service.load("/\(number)") }
    }

    @Test func `a server that comes back is used again`() async throws {
      let server = try TestServer()
      let connection = server.connect { $0.pauses = .zero ... .zero }
      let service = service(connection)
      _ = try await service.load("/a")
      server.kill()
      while connection.isAvailable { _ = try await service.load("/a") }

      try server.start()

      while try await !service.usesCache { await Task.yield() }
      #expect(connection.isAvailable)
    }

    @Test func `a server that becomes a replica fails no load, and is used again as a primary`()
      async throws
    {
      let server = try TestServer()
      let service = service(server.connect { $0.pauses = .zero ... .zero })
      _ = try await service.load("/a")
      let administrator = server.connect()
      _ = try await administrator.run { _ in [Command("REPLICAOF", "127.0.0.1", "1")] }

      for number in 0..<20 { _ = try await service.load("/\(number)") }
      #expect(service.failures.contains { $0.contains("READONLY") })
      _ = try await administrator.run { _ in [Command("REPLICAOF", "NO", "ONE")] }

      while try await !service.usesCache { await Task.yield() }
    }

    @Test func `a replica that takes over brings back nothing that was removed`() async throws {
      let (first, port) = try TestServer.listening(["--port"])
      let second = try TestServer()
      let folder = try TemporaryFolder()
      let path = folder.file("s").path(percentEncoded: false)
      let administrator = second.connect()
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: first.path)
      let connection = ValkeyServer(.unixSocket(path)) {
        $0.timeLimit = .seconds(20)
        $0.pauses = .zero ... .zero
      }
      let storage = ValkeyResponseStorage(connection)
      let keys = ["a", "b"].map { CacheKey(url: $0, partition: .anonymous) }
      let response = CacheExchange.stored([:], body: Data("body".utf8))
      for key in keys { try await storage.store(response, for: key) }
      let mark = try await storage.mark()
      let copying = [Command("REPLICAOF", "127.0.0.1", .integer(Int64(port)))]
      _ = try await administrator.run { _ in copying }
      while try await administrator.run({ _ in [Command("DBSIZE")] })?.first?.integer != 6 {
        await Task.yield()
      }

      // The replica doesn't hear of the latest removal.
      second.suspend()
      try await storage.remove(.entry(keys[0]))
      #expect(try await storage.responses(for: keys[1]) == [response])
      first.kill()
      second.resume()
      _ = try await administrator.run { _ in [Command("REPLICAOF", "NO", "ONE")] }
      try FileManager.default.removeItem(atPath: path)
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: second.path)

      for key in keys { #expect(try await found(key, storage) == []) }
      try await storage.store(response, for: keys[0], since: mark)
      #expect(try await storage.responses(for: keys[0]) == [])
      try await storage.store(response, for: keys[0])
      #expect(try await storage.responses(for: keys[0]) == [response])
    }

    /// What is found once the server is available.
    private func found(
      _ key: CacheKey, _ storage: ValkeyResponseStorage
    ) async throws -> [StoredResponse] {
      while true {
        do { return try await storage.responses(for: key) } catch is LoadError {}
      }
    }

    @Test(arguments: [nil, "wrong"])
    func `a server that refuses the password fails no load, and the error doesn't show it`(
      password: String?
    ) async throws {
      let server = try TestServer("--requirepass", "right-secret")
      let service = service(server.connect { $0.password = password })

      #expect(try await service.load("/a").text == "/a of the server")

      #expect(service.failures.contains { $0.contains("NOAUTH") || $0.contains("WRONGPASS") })
      #expect(service.failures.allSatisfy { !$0.contains("wrong ") && !$0.contains("secret") })
      let right = self.service(server.connect { $0.password = "right-secret" })
      _ = try await right.load("/a")
      #expect(right.failures.isEmpty)
    }

    @Test func `an error doesn't show the password of a command that the server doesn't know`()
      async throws
    {
      let server = try TestServer("--rename-command", "AUTH", "")
      let service = service(server.connect { $0.password = "planted" })

      _ = try await service.load("/a")

      #expect(service.failures.contains { $0.contains("unknown command") })
      #expect(service.failures.allSatisfy { !$0.contains("planted") })
    }

    @Test func `commands that are refused fail no load`() async throws {
      let server = try TestServer("--rename-command", "EVALSHA", "", "--rename-command", "EVAL", "")
      let service = service(server.connect())

      #expect(try await service.load("/a").text == "/a of the server")
      #expect(try await service.load("/a").text == "/a of the server")
      #expect(!service.failures.isEmpty)
    }

    @Test(arguments: [
      "noeviction", "allkeys-lru", "allkeys-lfu", "allkeys-random", "volatile-lru", "volatile-lfu",
      "volatile-random", "volatile-ttl",
    ])
    func `a full server fails no load, and brings back nothing that was removed`(
      policy: String
    ) async throws {
      let server = try TestServer("--maxmemory", "2mb", "--maxmemory-policy", policy)
      let storage = ValkeyResponseStorage(server.connect())
      let service = CachedService(storage) { $0.clock = ContinuousClock() }
      let version = Counter()
      service.transport.stub("GET *") { request in
        let text = "\(request.url.path(percentEncoded: false)) \(version.value) "
        return CachedService.fresh(text + String(repeating: "x", count: 30_000))
      }

      for round in 0..<2 {
        for number in 0..<60 {
          let path = "/\(number)"
          let text = try await service.load(RequestPath(encoded: path)).text
          #expect(text.hasPrefix("\(path) \(round) "))
        }
        version.next()
        // What couldn't be removed may not be used either.
        try? await service.cache.removeAll()
      }

      #expect(service.failures.isEmpty == (policy != "noeviction"))
    }

    @Test func `a full server that evicts nothing still removes`() async throws {
      let server = try TestServer("--maxmemory", "2mb", "--maxmemory-policy", "noeviction")
      let storage = ValkeyResponseStorage(server.connect())
      let keys = (0..<80).map {
        CacheKey(
          url: "https://example.org/\($0)", partition: $0 % 2 == 0 ? .anonymous : .init(name: "x"))
      }
      let response = CacheExchange.stored([:], body: Data(repeating: 1, count: 30_000))
      for key in keys { try? await storage.store(response, for: key) }
      await #expect(throws: LoadError.self) {
        try await storage.store(response, for: CacheKey(url: "new", partition: .anonymous))
      }
      #expect(try await storage.responses(for: keys[0]).count == 1)
      #expect(try await storage.responses(for: keys[1]).count == 1)

      // The first removal frees most of the memory.
      for scope: CacheScope in [.credentials, .entry(keys[0]), .url(keys[2].url)] {
        try await storage.remove(scope)
        for key in keys where scope.covers(key) {
          #expect(try await storage.responses(for: key).isEmpty)
        }
      }
      #expect(try await storage.responses(for: keys[4]).count == 1)
    }

    @Test func `connections are limited, and closed with their server`() async throws {
      let server = try TestServer()
      let connection = server.connect { $0.maximumConnections = 2 }
      let storage = ValkeyResponseStorage(connection)
      let key = CacheKey(url: "a", partition: .anonymous)
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<200 { group.addTask { _ = try? await storage.responses(for: key) } }
      }
      let clients = try await connection.run { _ in [Command("CLIENT", "LIST")] }
      let lines = String(decoding: try #require(clients?.first?.data), as: UTF8.self)
      #expect((1...2).contains(lines.split(separator: "\n").count))

      connection.close()

      let error = await #expect(throws: LoadError.self) {
        try await storage.responses(for: key)
      }
      #expect(error?.kind == .closed)
    }

    @Test func `more commands than may wait fail at once`() async throws {
      let server = try TestServer()
      let connection = server.connect {
        $0.maximumConnections = 1
        $0.maximumQueueSize = 10
      }
      let storage = ValkeyResponseStorage(connection)
      let key = CacheKey(url: "a", partition: .anonymous)
      _ = try await storage.responses(for: key)
      server.suspend()

      let failures = await withTaskGroup(of: Bool.self) { group in
        for _ in 0..<100 {
          group.addTask {
            do {
              _ = try await storage.responses(for: key)
              return false
            } catch { return true }
          }
        }
        var failures = 0
        // At most 32 are under way, and 10 wait.
        for await hasFailed in group {
          failures += hasFailed ? 1 : 0
          if failures == 100 - 42 { server.resume() }
        }
        return failures
      }

      #expect(failures >= 100 - 42 && failures < 100)
    }

    @Test func `a cancelled task stops waiting for the server at once`() async throws {
      let server = try TestServer()
      let storage = ValkeyResponseStorage(server.connect())
      let key = CacheKey(url: "a", partition: .anonymous)
      _ = try await storage.responses(for: key)
      server.suspend()
      defer { server.resume() }
      let task = Task { try await storage.responses(for: key) }

      task.cancel()

      await #expect(throws: CancellationError.self) { try await task.value }
    }
  }

  extension CachedService {
    /// Whether a response is found in the cache.
    fileprivate var usesCache: Bool {
      get async throws {
        try await load("/used")
          .source.contains("cache")
      }
    }
  }
#endif
