#if Valkey && os(Linux)
  import CacheTestSupport
  import Foundation
  import ResourceCache
  import ResourceLoading
  import ResourceTesting
  import TestSupport
  import Testing

  @testable import ResourceValkey

  /// The behaviour of every storage, as `ResponseStorageTests` demands it of the others, and what
  /// several processes with one storage need.
  @Suite(.needsServer, .inTurn, .timeLimit(.minutes(15)))
  struct ValkeyResponseStorageTests {
    typealias Exchange = CacheExchange

    private let server: TestServer
    private let storage: ValkeyResponseStorage
    /// The storage of another process.
    private let other: ValkeyResponseStorage

    init() throws {
      server = try TestServer()
      storage = ValkeyResponseStorage(server.connect())
      other = ValkeyResponseStorage(server.connect())
    }

    private func key(_ path: String, _ partition: String = "") -> CacheKey {
      CacheKey(url: "https://example.org/\(path)", partition: CachePartition(name: partition))
    }

    private func stored(_ body: String, language: String? = nil) -> StoredResponse {
      Exchange.stored(
        [.vary: "Accept-Language", "X-ÄÖ": "emoji 🦊", .eTag: "\"1\""], body: Data(body.utf8),
        selecting: language.map { [.acceptLanguage: $0] } ?? [:])
    }

    private func bodies(_ storage: ValkeyResponseStorage, _ key: CacheKey) async throws -> [String]
    {
      try await storage.responses(for: key).map {
        String(decoding: $0.response.body, as: UTF8.self)
      }
    }

    @Test func `a stored response is read unchanged by another process, byte for byte`()
      async throws
    {
      let response = Exchange.stored(
        [.link: "<a>", .link: "<b>", "X-ÄÖ": "emoji 🦊"],
        body: Data("\0b\r\n$-1\r\n".utf8) + [0xFF, 0xFE], selecting: [.acceptLanguage: "de"],
        asked: Date(timeIntervalSinceReferenceDate: 712_345_678.123_456_7), wasRedirected: true)

      try await storage.store(response, for: key("a"))

      #expect(try await other.responses(for: key("a")) == [response])
      #expect(try await other.responses(for: key("b")) == [])
      #expect(try await other.responses(for: key("a", "x")) == [])
    }

    @Test func `a body of several megabytes is read unchanged`() async throws {
      let body = Data((0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
      let response = Exchange.stored([:], body: body)
      let storage = ValkeyResponseStorage(server.connect(), maximumResponseSize: 8 << 20)

      try await storage.store(response, for: key("a"))

      #expect(try await other.responses(for: key("a")) == [response])
    }

    @Test func `storing a variant replaces only its predecessor`() async throws {
      for body in ["1", "2"] {
        for language in ["de", "en", nil] {
          try await storage.store(
            stored(body + (language ?? ""), language: language), for: key("a"))
        }
      }

      let bodies = try await bodies(other, key("a"))
      #expect(Set(bodies) == ["2de", "2en", "2"] && bodies.count == 3)
    }

    @Test func `an older response that arrived later doesn't replace a newer one`() async throws {
      let newer = Exchange.stored([.eTag: "\"2\""], asked: 10, arrived: 11)
      let older = Exchange.stored([.eTag: "\"1\""], asked: 7, arrived: 12)
      let newest = Exchange.stored([.eTag: "\"3\""], asked: 9, arrived: 13)
      let dated = { Exchange.stored([.date: Exchange.httpDate($0)], asked: 12, arrived: 14) }

      for response in [newer, older] { try await storage.store(response, for: key("a")) }
      #expect(try await storage.responses(for: key("a")) == [newer])
      for response in [dated(5), dated(4), newest] {
        try await other.store(response, for: key("a"))
      }

      #expect(try await storage.responses(for: key("a")) == [dated(5)])
    }

    @Test func `of versions that many processes store at once, the newest one remains`()
      async throws
    {
      let storages = (0..<8).map { _ in ValkeyResponseStorage(server.connect()) }
      for round in 0..<10 {
        let key = key("\(round)")
        let versions = (0..<8).map { number in
          Exchange.stored(["X-Version": "\(number)"], asked: number, arrived: 20)
        }

        try await withThrowingTaskGroup(of: Void.self) { group in
          for (storage, version) in zip(storages, versions) {
            group.addTask {
              try await storage.store(version, for: key)
              let found = try await storage.responses(for: key)
              #expect(found.count == 1 && !found[0].isOutdated(by: version))
            }
          }
          try await group.waitForAll()
        }

        #expect(try await storage.responses(for: key) == [versions[7]])
      }
    }

    @Test func `the most recently stored of many variants are kept`() async throws {
      for number in 0..<40 {
        try await storage.store(stored("\(number)", language: "l\(number)"), for: key("a"))
        try await storage.store(stored("other", language: nil), for: key("a", "x"))
      }

      let bodies = try await bodies(storage, key("a"))
      #expect(Set(bodies) == Set((8..<40).map(String.init)) && bodies.count == 32)
      #expect(try await storage.responses(for: key("a", "x")).count == 1)
    }

    private var scopes: [CacheScope] {
      [
        .entry(key("a", "x")), .entry(key("a")), .url(key("a").url),
        .partition(CachePartition(name: "x")), .partition(.anonymous), .credentials, .everything,
      ]
    }

    private var keys: [CacheKey] {
      [key("a"), key("a", "x"), key("b"), key("b", "x"), key("b", "y")]
    }

    @Test func `a scope removes what it covers, for all processes`() async throws {
      for scope in scopes {
        for key in keys {
          try await storage.store(stored("1"), for: key)
          #expect(try await other.responses(for: key).count == 1)
        }

        try await storage.remove(scope)

        for key in keys {
          let isGone = try await other.responses(for: key).isEmpty
          #expect(isGone == scope.covers(key), "\(scope) \(key)")
        }
      }
    }

    @Test func `a response that was requested before a removal isn't stored after it`()
      async throws
    {
      for scope in scopes {
        for key in keys {
          try await storage.remove(.entry(key))
          let mark = try await other.mark()
          try await storage.remove(scope)

          try await other.store(stored("1"), for: key, since: mark)

          let isStored = try await !storage.responses(for: key).isEmpty
          #expect(isStored != scope.covers(key), "\(scope) \(key)")
        }
      }
    }

    private func grouped(_ names: String...) -> StoredResponse {
      let list = names.map { "\"\($0)\"" }.joined(separator: ", ")
      return Exchange.stored(
        ["Cache-Groups": list], body: Data("body".utf8), selecting: [.accept: names[0]])
    }

    private func group(_ name: String) -> CacheGroup { CacheGroup(name, of: Exchange.url) }

    @Test func `removing groups removes their responses and no others, for all processes`()
      async throws
    {
      let kept = [(key("a"), grouped("c")), (key("b"), stored("1")), (key("d"), grouped("A"))]
      let removed = [(key("a"), grouped("b")), (key("c", "x"), grouped("c", "a"))]
      for (key, response) in kept + removed { try await storage.store(response, for: key) }
      #expect(try await other.responses(for: key("a")).count == 2)

      try await storage.remove(.groups([group("a"), group("b"), group("unknown")]))

      for (key, response) in kept {
        #expect(try await other.responses(for: key) == [response])
      }
      for (key, response) in removed {
        #expect(try await !other.responses(for: key).contains(response))
      }
      try await other.store(grouped("b"), for: key("a"))
      #expect(try await storage.responses(for: key("a")).count == 2)
    }

    @Test
    func `a response that was requested before the removal of its group isn't stored after it`()
      async throws
    {
      let early = try await other.mark()
      try await storage.remove(.groups([group("a"), group("b")]))

      try await other.store(grouped("c", "a"), for: key("a"), since: early)
      try await other.store(grouped("c"), for: key("b"), since: early)
      try await other.store(grouped("a"), for: key("c"), since: storage.mark())

      #expect(try await storage.responses(for: key("a")).isEmpty)
      for path in ["b", "c"] { #expect(try await storage.responses(for: key(path)).count == 1) }
    }

    @Test func `a response is missing if the server has evicted the token of its group`()
      async throws
    {
      try await storage.store(grouped("a", "b"), for: key("a"))
      try await storage.store(grouped("a", "c"), for: key("b"))
      let tokens = try await storage.server.run { _ in [Command("KEYS", "*:g:*")] }
      let names = try #require(tokens?.first).array.compactMap(\.data)
      #expect(names.count == 3)

      for name in names { _ = try await storage.server.run { _ in [Command("DEL", .data(name))] } }

      for path in ["a", "b"] { #expect(try await other.responses(for: key(path)).isEmpty) }
    }

    @Test func `hundreds of groups are kept, and replacing a response leaves them`() async throws {
      let names = (0..<300).map { "\($0)" + String(repeating: "x", count: 100) }
      let list = names.map { "\"\($0)\"" }.joined(separator: ", ")
      let many = Exchange.stored(["Cache-Groups": list], asked: 1, arrived: 1)
      try await storage.store(many, for: key("a"))
      #expect(try await other.responses(for: key("a")) == [many])

      let plain = Exchange.stored([:], asked: 2, arrived: 2)
      try await storage.store(plain, for: key("a"))
      try await other.remove(.groups([group(names[299])]))
      #expect(try await other.responses(for: key("a")) == [plain])
      try await storage.store(
        Exchange.stored(["Cache-Groups": list], asked: 3, arrived: 3), for: key("a"))
      try await other.remove(.groups([group(names[299])]))

      #expect(try await storage.responses(for: key("a")).isEmpty)
    }

    @Test func `queries of a URL are stored by their content, and removed with it`() async throws {
      let keys = ["", "one", "two"].map {
        CacheKey(url: key("a").url, partition: CachePartition(name: "x"), content: $0)
      }
      let responses = keys.map { key in
        let request = Request(key.method, url: Exchange.url)
        return StoredResponse(
          Response(url: Exchange.url, method: key.method, body: Data(key.content.utf8)),
          to: request,
          under: key, requestDate: Exchange.start, responseDate: Exchange.start)
      }
      for (key, response) in zip(keys, responses) { try await storage.store(response, for: key) }

      for (key, response) in zip(keys, responses) {
        #expect(try await other.responses(for: key) == [response])
      }
      try await other.remove(.entry(keys[1]))
      #expect(try await storage.responses(for: keys[1]).isEmpty)
      #expect(try await storage.responses(for: keys[2]).count == 1)
      let mark = try await storage.mark()
      try await other.remove(.url(keys[0].url))
      try await storage.store(responses[2], for: keys[2], since: mark)

      for key in keys { #expect(try await storage.responses(for: key).isEmpty) }
    }

    @Test func `a mark from before many removals covers everything, and none of them is kept`()
      async throws
    {
      let mark = try await storage.mark()
      for number in 0..<ResponseScripts.removalLimit + 10 {
        try await storage.remove(.url(key("\(number)").url))
      }

      try await storage.store(stored("1"), for: key("a"), since: mark)
      #expect(try await storage.responses(for: key("a")).isEmpty)
      try await storage.store(stored("1"), for: key("a"))
      #expect(try await storage.responses(for: key("a")).count == 1)
      let length = try await storage.server.run { _ in [Command("HLEN", "resource-loading:state")] }
      #expect(try #require(length?.first?.integer) <= 2 * ResponseScripts.removalLimit + 6)
    }

    @Test func `contents that were removed with their partition don't remain on the server`()
      async throws
    {
      let scopes: [CacheScope] = [
        .partition(CachePartition(name: "x")), .partition(.anonymous), .credentials, .everything,
      ]
      for scope in scopes {
        for key in keys { try await storage.store(stored("body of \(key.url)"), for: key) }

        try await storage.remove(scope)

        let kept = try await values().filter { $0.contains("body of") }
        #expect(kept.count == keys.count { !scope.covers($0) })
        try await storage.remove(.everything)
      }
    }

    @Test func `contents that can't be deleted aren't used all the same`() async throws {
      let server = try TestServer("--rename-command", "SCAN", "")
      let storage = ValkeyResponseStorage(server.connect())
      let other = ValkeyResponseStorage(server.connect())
      for scope: CacheScope in [.credentials, .partition(.anonymous), .everything] {
        for key in keys { try await storage.store(stored("1"), for: key) }

        await #expect(throws: LoadError.self) { try await storage.remove(scope) }

        for key in keys {
          let isGone = try await other.responses(for: key).isEmpty
          #expect(isGone == scope.covers(key), "\(scope) \(key)")
        }
      }
    }

    /// All names and values on the server.
    private func values() async throws -> [String] {
      let names = try await storage.server.run { _ in [Command("KEYS", "*")] }
      var values: [String] = []
      for name in try #require(names?.first).array.compactMap(\.data) {
        values.append(String(decoding: name, as: UTF8.self))
        let type = try await storage.server.run { _ in [Command("TYPE", .data(name))] }
        let replies = try await storage.server.run { _ in
          switch type?.first?.data.map({ String(decoding: $0, as: UTF8.self) }) {
          case "hash": [Command("HGETALL", .data(name))]
          case "zset": [Command("ZRANGE", .data(name), "0", "-1")]
          default: [Command("GET", .data(name))]
          }
        }
        let reply = try #require(replies?.first)
        values += (reply.array + [reply]).compactMap(\.data)
          .map { String(decoding: $0, as: UTF8.self) }
      }
      return values
    }

    @Test func `neither names nor values contain URLs of requests and credentials`() async throws {
      let service = CachedService(storage)
      service.transport.stub(
        "GET /a",
        CachedService.fresh(
          "body", [.cacheControl: "max-age=60", .vary: "X-Secret-Name", .setCookie: "s=planted4"]))
      _ = try await service.load(
        Request(
          .get, "/a", query: ["token": "planted1"],
          headers: [.authorization: "planted2", "X-Secret-Name": "planted3"]))
      _ = try await storage.lease(for: key("planted5"), variant: "planted6")

      let values = try await values()

      #expect(values.contains { $0.contains("body") })
      #expect(values.allSatisfy { !$0.contains("planted") && !$0.contains("api.example.org") })
    }

    @Test func `a response that contains a credential isn't stored`() async throws {
      let response = Exchange.stored(["X-Api-Key": "abcdefgh12345678"], body: Data("b".utf8))

      try await storage.store(response, for: key("a"))

      #expect(try await storage.responses(for: key("a")).isEmpty)
    }

    @Test func `a response that is too large isn't stored, and removes its predecessor`()
      async throws
    {
      let small = ValkeyResponseStorage(server.connect(), maximumResponseSize: 2000)
      try await small.store(stored("small"), for: key("a"))
      #expect(try await small.responses(for: key("a")).count == 1)

      try await small.store(stored(String(repeating: "x", count: 2000)), for: key("a"))

      #expect(try await small.responses(for: key("a")).isEmpty)
    }

    @Test func `a response is missing after its lifetime`() async throws {
      let brief = ValkeyResponseStorage(server.connect(), lifetime: .seconds(1))

      try await brief.store(stored("1"), for: key("a", "x"))

      let times = try await storage.server.run { _ in [Command("KEYS", "*")] }
      for name in try #require(times?.first).array.compactMap(\.data)
      where !name.elementsEqual("resource-loading:state".utf8) {
        let time = try await storage.server.run { _ in [Command("PTTL", .data(name))] }
        #expect((1...2000).contains(try #require(time?.first?.integer)))
      }
    }

    @Test(arguments: [":u:*", ":p:*", ":a:*", "resource-loading:state"])
    func `whatever the server evicts, the response is missing and is stored again`(
      pattern: String
    ) async throws {
      try await storage.store(stored("1"), for: key("a"))
      let mark = try await other.mark()
      let evicted = try await storage.server.run { _ in
        [Command("KEYS", .text(pattern.hasPrefix(":") ? "*\(pattern)" : pattern))]
      }
      let names = try #require(evicted?.first).array.compactMap(\.data)
      #expect(names.count == 1)
      _ = try await storage.server.run { _ in [Command("DEL", .data(names[0]))] }

      #expect(try await storage.responses(for: key("a")).isEmpty)
      try await other.store(stored("2"), for: key("a"), since: mark)
      let isNewHistory = pattern.hasSuffix("state")
      #expect(try await bodies(storage, key("a")) == (isNewHistory ? [] : ["2"]))
      try await storage.store(stored("3"), for: key("a"))
      #expect(try await bodies(other, key("a")) == ["3"])
    }

    @Test func `a server that was restarted begins with an empty cache, even with its old data`()
      async throws
    {
      try await storage.store(stored("removed"), for: key("a"))
      _ = try await storage.server.run { _ in [Command("SAVE")] }
      let mark = try await storage.mark()
      try await storage.remove(.url(key("a").url))
      server.kill()
      try server.start()

      // The first command finds the connection closed, and is sent again on a new one.
      #expect(try await storage.responses(for: key("a")).isEmpty)
      #expect(try await other.responses(for: key("a")).isEmpty)
      try await storage.store(stored("old"), for: key("a"), since: mark)
      #expect(try await other.responses(for: key("a")).isEmpty)
      try await storage.store(stored("new"), for: key("a"))
      #expect(try await bodies(other, key("a")) == ["new"])
    }

    @Test func `scripts are sent again to a server that has forgotten them`() async throws {
      try await storage.store(stored("1"), for: key("a"))
      _ = try await storage.server.run { _ in [Command("SCRIPT", "FLUSH")] }

      try await storage.store(stored("2"), for: key("a"))

      #expect(try await bodies(storage, key("a")) == ["2"])
    }

    @Test func `caches with different prefixes or databases share nothing`() async throws {
      try await storage.store(stored("1"), for: key("a"))

      for configure in [{ $0.prefix = "x[*]?" }, { $0.database = 3 }]
        as [(inout ValkeySettings) -> Void]
      {
        let foreign = ValkeyResponseStorage(server.connect(configure))
        #expect(try await foreign.responses(for: key("a")).isEmpty)
        try await foreign.store(stored("2"), for: key("a"))
        try await foreign.remove(.everything)
      }

      #expect(try await bodies(storage, key("a")) == ["1"])
    }

    @Test func `a lease belongs to one process until it ends`() async throws {
      let key = key("a", "x")
      guard case .granted(let token) = try await storage.lease(for: key, variant: "v") else {
        return #expect(Bool(false), "no lease")
      }
      guard case .taken(let time) = try await other.lease(for: key, variant: "v") else {
        return #expect(Bool(false), "two leases")
      }
      #expect(time > .zero && time <= .seconds(5))
      guard case .granted = try await other.lease(for: key, variant: "w") else {
        return #expect(Bool(false), "variants share a lease")
      }

      storage.endLease("another", for: key, variant: "v", .stored)
      guard case .taken = try await storage.lease(for: key, variant: "v") else {
        return #expect(Bool(false), "another token ends it")
      }
      storage.endLease(token, for: key, variant: "v", .stored)
      while case .taken = try await other.lease(for: key, variant: "v") {}
    }

    @Test func `after a response that can't be shared, no lease is needed`() async throws {
      guard case .granted(let token) = try await storage.lease(for: key("a"), variant: "") else {
        return #expect(Bool(false), "no lease")
      }

      storage.endLease(token, for: key("a"), variant: "", .notShared)

      while case .taken = try await other.lease(for: key("a"), variant: "") {}
      #expect(try await other.lease(for: key("a"), variant: "") == .notNeeded)
    }

    @Test func `many concurrent tasks find a stored response or none`() async throws {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for worker in 0..<8 {
          group.addTask {
            let storage = worker.isMultiple(of: 2) ? storage : other
            for step in 0..<60 {
              let number = (worker * 31 + step * 7) % 40
              let key = key("\(number)", step.isMultiple(of: 3) ? "x" : "")
              let body = "\(number)" + String(repeating: "x", count: 3000)
              if step % 17 == 16 { try await storage.remove(.partition(key.partition)) }
              let found = try await storage.responses(for: key)
              #expect(found.allSatisfy { $0.response.body == Data(body.utf8) } && found.count < 2)
              try await storage.store(stored(body), for: key)
            }
          }
        }
        try await group.waitForAll()
      }
    }

    @Test func `a stale response is revalidated, and a 304 makes it fresh for all processes`()
      async throws
    {
      // The clock of the service doesn't run, so no load may wait for the end of a lease.
      let storage = ValkeyResponseStorage(server.connect(), leaseTime: .zero)
      let service = CachedService(storage)
      service.transport.stub(
        "GET /a", CachedService.fresh("one", [.cacheControl: "max-age=10", .eTag: "\"1\""]),
        CachedService.fresh("", [.cacheControl: "max-age=20", .eTag: "\"1\""], status: 304))
      _ = try await service.load("/a")

      service.clock.advance(by: .seconds(11))
      let revalidated = try await service.load("/a")
      service.clock.advance(by: .seconds(19))
      let stored = try await service.load("/a")

      #expect(revalidated == Loaded(text: "one", source: "from the cache, still good"))
      #expect(stored == Loaded(text: "one", source: "from the cache, 19.00 s old"))
      #expect(service.transport.requests.count == 2)
      #expect(service.failures == [])
    }

    @Test func `a removal is recorded whatever was removed twice long before`() async throws {
      let limit = ResponseScripts.removalLimit
      func remove(_ path: String) async throws {
        try await storage.remove(.url(key(path).url))
      }
      for _ in 1...2 { try await remove("twice") }
      for number in 3...limit { try await remove("\(number)") }
      try await storage.remove(.credentials)
      for number in 1..<limit { try await remove("later-\(number)") }
      let mark = try await storage.mark()

      try await remove("a")

      try await storage.store(stored("1"), for: key("a"), since: mark)
      #expect(try await storage.responses(for: key("a")).isEmpty)
    }

    @Test func `emptying a cache leaves one whose prefix goes on with digits`() async throws {
      let longer = ValkeyResponseStorage(
        server.connect { $0.prefix = "resource-loading:2" })
      try await longer.store(stored("1"), for: key("a"))
      try await storage.store(stored("2"), for: key("a"))

      try await storage.remove(.everything)

      #expect(try await bodies(longer, key("a")) == ["1"])
      #expect(try await bodies(storage, key("a")) == [])
    }

    @Test func `a lease and the limits of a server may last for ever`() async throws {
      let server = server.connect {
        $0.timeLimit = .seconds(Int64.max)
        $0.connectTimeLimit = .seconds(Int64.max)
      }
      let storage = ValkeyResponseStorage(server, leaseTime: .seconds(Int64.max))

      let lease = try await storage.lease(for: key("a"), variant: "v")

      guard case .granted = lease else { return #expect(Bool(false), "\(lease)") }
    }
  }
#endif
