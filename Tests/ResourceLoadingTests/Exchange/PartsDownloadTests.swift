import Foundation
import PromiseModule
import ResourceLoading
import ResourcePrimitives
import ResourceTesting
import Synchronization
import TestSupport
import Testing

@Suite(.inTurn, .timeLimit(.minutes(10)))
struct PartsDownloadTests {
  private let directory = TemporaryDirectory()
  private var file: URL { directory.url.appending(path: "file.bin") }
  private static let content = RangeServer.content
  private static let hash = SecureHash.hexadecimal(RangeServer.hash)

  @Test(arguments: [1, 2, 8] as [DownloadOptions.Parts] + [.automatic], Engine.allCases)
  func `a download in parts is the file and nothing else`(
    _ parts: DownloadOptions.Parts, _ engine: Engine
  ) async throws {
    let server = try RangeServer.start()
    defer { server.stop() }
    try Data("old".utf8).write(to: file)

    let download = try await Client(engine).download(.get(server.url("/")), to: file) {
      $0.parts = parts
      $0.digest = .sha256(Self.hash)
    }

    #expect(download.size == Self.content.count)
    #expect(download.resumedSize == 0)
    #expect(try Data(contentsOf: file) == Self.content)
    #expect(try directory.names == ["file.bin"])
  }

  @Test func `no byte is requested twice, and the parts are of one version`() async throws {
    let server = try RangeServer.start()
    defer { server.stop() }

    try await Client().download(.get(server.url("/")), to: file) { $0.parts = 4 }

    let ranges = server.requests.compactMap { request in
      request.header("Range").map { $0.dropFirst(6).split(separator: "-").compactMap { Int($0) } }
    }.sorted { $0[0] < $1[0] }
    #expect(ranges.first == [0, (256 << 10) - 1])
    #expect(ranges.last?[1] == Self.content.count - 1)
    #expect(zip(ranges, ranges.dropFirst()).allSatisfy { $0[1] + 1 == $1[0] })
    #expect(Set(server.requests.dropFirst().map { $0.header("If-Range") }) == [#""v1""#])
  }

  @Test(arguments: [0, 1, 262_143, 262_144, 262_145, 1_310_720, 3_000_001])
  func `a download in parts has each byte of a body of any size`(_ size: Int) async throws {
    let body = Self.content.prefix(size)
    let server = try LoopbackServer {
      LoopbackRoute("*") { RangeServer.answer($0, Data(body)).script }
    }
    defer { server.stop() }

    let download = try await Client().download(.get(server.url("/")), to: file) { $0.parts = 8 }

    #expect(download.size == size)
    #expect(try Data(contentsOf: file) == body)
    #expect(try directory.names == ["file.bin"])
  }

  @Test func `the limit of the client holds for parts as well`() async throws {
    let inFlight = Mutex(0)
    let most = Mutex(0)
    let server = try LoopbackServer {
      LoopbackRoute("*") { request in
        let count = inFlight.withLock { count in
          count += 1
          return count
        }
        most.withLock { $0 = max($0, count) }
        defer { inFlight.withLock { $0 -= 1 } }
        return RangeServer.answer(request).script
      }
    }
    defer { server.stop() }
    let client = Client { $0.maximumRequestsPerHost = 2 }

    try await client.download(.get(server.url("/")), to: file) { $0.parts = 8 }

    #expect(most.withLock(\.self) <= 2)
    #expect(Set(server.requests.map(\.connection)).count <= 2)
  }

  @Test(arguments: [0.0, 0.2, 0.5, 0.9], Engine.allCases)
  func `a download in parts that breaks is resumed by the next load`(
    _ fraction: Double, _ engine: Engine
  ) async throws {
    let last = Int(Double(Self.content.count) * fraction)
    let isBroken = Mutex(true)
    let server = try RangeServer.start { answer, _, _ in
      if isBroken.withLock(\.self), answer.range.upperBound > last { answer.limit = 0 }
    }
    defer { server.stop() }
    let options: @Sendable (inout DownloadOptions) -> Void = {
      $0.parts = 3
      $0.digest = .sha256(Self.hash)
    }

    let error = await #expect(throws: LoadError.self) {
      try await Client(engine).download(.get(server.url("/")), to: file, options)
    }
    let hadPart = try directory.names == ["file.bin.part", "file.bin.part.json"]
    isBroken.withLock { $0 = false }
    let before = server.requests.count
    let download = try await Client(engine).download(.get(server.url("/")), to: file, options)

    #expect(error?.kind == .connection)
    #expect(hadPart == (fraction > 0.1))
    #expect((download.resumedSize > 0) == hadPart)
    #expect(download.resumedSize <= last)
    #expect(try Data(contentsOf: file) == Self.content)
    #expect(try directory.names == ["file.bin"])
    let requested = server.requests.dropFirst(before).compactMap { $0.header("Range") }
    #expect(requested.allSatisfy { hadPart ? !$0.hasPrefix("bytes=0-") : true })
  }

  @Test func `a part that isn't resumable leaves nothing behind`() async throws {
    let server = try RangeServer.start { answer, _, number in if number > 2 { answer.limit = 9 } }
    defer { server.stop() }

    await #expect(throws: LoadError.self) {
      try await Client().download(.get(server.url("/")), to: file) {
        $0.parts = 2
        $0.isResumable = false
      }
    }

    #expect(try directory.names.isEmpty)
  }

  @Test(arguments: ["url", "tag", "size", "ranges", "rubbish", "one stream"])
  func `a part that doesn't match starts over`(_ what: String) async throws {
    let server = try RangeServer.start()
    defer { server.stop() }
    let url = server.url("/")
    let hash = SecureHash.hexadecimal(SecureHash.sha256(url.absoluteString.utf8))
    let size = Self.content.count
    let record =
      switch what {
      case "url": #"{"urlHash":"00","contentTag":"\"v1\"","size":\#(size),"written":[[0,5000000]]}"#
      case "tag":
        #"{"urlHash":"\#(hash)","contentTag":"\"v0\"","size":\#(size),"written":[[0,5000000]]}"#
      case "size":
        #"{"urlHash":"\#(hash)","contentTag":"\"v1\"","size":\#(size + 1),"written":[[0,5000000]]}"#
      case "ranges":
        #"{"urlHash":"\#(hash)","contentTag":"\"v1\"","size":\#(size),"written":[[9,3],[0,7]]}"#
      case "rubbish": "{"
      default: #"{"urlHash":"\#(hash)","validator":"\"v1\"","total":\#(size)}"#
      }
    try Data(count: size).write(to: directory.url.appending(path: "file.bin.part"))
    try Data(record.utf8).write(to: directory.url.appending(path: "file.bin.part.json"))

    let download = try await Client().download(.get(url), to: file) { $0.parts = 2 }

    #expect(download.resumedSize == 0)
    #expect(try Data(contentsOf: file) == Self.content)
    #expect(try directory.names == ["file.bin"])
  }

  @Test func `one stream doesn't take a file of ranges for a beginning`() async throws {
    let isBroken = Mutex(true)
    let server = try RangeServer.start { answer, _, _ in
      if isBroken.withLock(\.self), answer.range.lowerBound > 2_000_000 { answer.limit = 9 }
    }
    defer { server.stop() }
    await #expect(throws: LoadError.self) {
      try await Client().download(.get(server.url("/")), to: file) { $0.parts = 2 }
    }
    isBroken.withLock { $0 = false }

    let download = try await Client().download(.get(server.url("/")), to: file)

    #expect(download.resumedSize == 0)
    #expect(try Data(contentsOf: file) == Self.content)
  }

  @Test func `the progress of a download in parts never goes back and ends with all`() async throws
  {
    let server = try RangeServer.start { answer, _, number in if number == 3 { answer.limit = 9 } }
    defer { server.stop() }
    let steps = Mutex<[TransferProgress]>([])
    let resource = Resource.download(.get(server.url("/")), to: file) { $0.parts = 4 }
      .onProgress { step in steps.withLock { $0.append(step) } }

    _ = try await Client().load(resource)

    let told = steps.withLock(\.self)
    #expect(told.map(\.completed) == told.map(\.completed).sorted())
    #expect(told.last?.completed == Self.content.count)
    #expect(told.allSatisfy { $0.total == Self.content.count })
  }

  @Test(arguments: Engine.allCases)
  func `a cancelled download in parts ends its exchanges and can be resumed`(
    _ engine: Engine
  ) async throws {
    let arrived = Gate()
    let server = try RangeServer.start { answer, _, number in
      if number > 2 { (answer.limit, answer.isSilentAtLimit) = (100, true) }
      if number == 4 { arrived.open() }
    }
    defer { server.stop() }
    let client = Client(engine)
    let resource = Resource.download(.get(server.url("/")), to: file) { $0.parts = 3 }

    let load = Task { try await client.load(resource) }
    try await arrived.opened()
    load.cancel()

    let result = await load.result
    #expect(throws: CancellationError.self) { try result.get() }
    try await server.waitForDisconnects(count: 1)
    #expect(try directory.names.contains("file.bin.part"))
  }

  @MainActor private static var chosenParts: DownloadOptions.Parts = 2

  @MainActor @Test func `options can come from the main actor`() async throws {
    let server = try RangeServer.start()
    defer { server.stop() }

    try await Client().download(.get(server.url("/")), to: file) { $0.parts = Self.chosenParts }

    #expect(try Data(contentsOf: file) == Self.content)
    #expect(server.requests.count > 1)
  }

  @Test func `a part that stalls is cut off and requested again`() async throws {
    let server = try RangeServer.start { answer, _, number in
      if number == 2 { (answer.limit, answer.isSilentAtLimit) = (300_000, true) }
    }
    defer { server.stop() }
    var request = Request.get(server.url("/"))
    request.options.idleTimeout = .seconds(8)

    try await Client().download(request, to: file) { $0.parts = 2 }

    #expect(try Data(contentsOf: file) == Self.content)
  }

  #if Curl && os(Linux)
    /// Starts two servers for `localhost`, which is ::1 and 127.0.0.1 for libcurl; `nil` without
    /// IPv6.
    private func serversOfLocalhost() throws -> [LoopbackServer]? {
      var configuration = LoopbackServer.Configuration()
      configuration.address = .ipv6
      guard let first = try? LoopbackServer(configuration) else { return nil }
      (configuration.address, configuration.port) = (.ipv4, UInt16(first.port))
      return [first, try LoopbackServer(configuration)]
    }

    /// Whether the other address may be connected to.
    @Test(arguments: [true, false])
    func `a part that stalls is loaded from another address of its host`(
      _ isAllowed: Bool
    ) async throws {
      guard let servers = try serversOfLocalhost() else {
        return print("skipped: there is no IPv6 loopback here")
      }
      defer { for server in servers { server.stop() } }
      let (isWarm, warmed, parts) = (Gate(), RangeServer.Count(), RangeServer.Count())
      for server in servers { server.add { LoopbackRoute("GET /first", .status(204)) } }
      let url = try #require(URL(string: "http://localhost:\(servers[0].port)/"))
      try await Client().load(.void(.get(url.appending(path: "first"))))
      let slow = servers[servers[0].requests.isEmpty ? 1 : 0]
      let other = servers[servers[0].requests.isEmpty ? 0 : 1]
      slow.add {
        LoopbackRoute("GET /warm") { _ in
          if warmed.next() == 4 { isWarm.open() }
          return [.wait(isWarm), .status(204)]
        }
        LoopbackRoute("GET /") { request in
          var answer = RangeServer.answer(request)
          let number = parts.next()
          if isAllowed ? number > 1 : number == 2 {
            (answer.limit, answer.isSilentAtLimit) = (300_000, true)
          }
          return answer.script
        }
      }
      other.add { LoopbackRoute("GET /") { RangeServer.answer($0).script } }
      let client = Client {
        var configuration = CurlTransport.Configuration()
        if !isAllowed { configuration.addresses = .publicOnly(and: [slow.host]) }
        $0.transport = CurlTransport(configuration)
      }
      // Idle connections to the slow address.
      try await withThrowingTaskGroup { group in
        for _ in 0..<4 {
          group.addTask { try await client.load(.void(.get(url.appending(path: "warm")))) }
        }
        try await group.waitForAll()
      }
      var request = Request.get(url)
      request.options.idleTimeout = .seconds(8)

      try await client.download(request, to: file) { $0.parts = 2 }

      #expect(try Data(contentsOf: file) == Self.content)
      let slowParts = slow.requests.filter { $0.path == "/" }
      if isAllowed {
        // The first, and one of each connection.
        #expect(slowParts.count == 3)
        #expect(other.requests.count > 1)
        let hosts = Set(other.requests.map { $0.header("Host") })
        #expect(hosts == ["localhost:\(slow.port)"])
      } else {
        #expect(slowParts.count > 3)
        #expect(other.requests.isEmpty)
      }
    }
  #endif

  @Test(arguments: [false, true], [false, true])
  func `a part that fails or stalls is loaded from a mirror of the same content`(
    _ isByDigest: Bool, _ stalls: Bool
  ) async throws {
    let server = try RangeServer.start { answer, _, _ in
      if answer.range.lowerBound > 0 { (answer.limit, answer.isSilentAtLimit) = (5, stalls) }
    }
    defer { server.stop() }
    let mirror = try LoopbackServer {
      LoopbackRoute("*") { RangeServer.answer($0, tag: isByDigest ? #""m""# : #""v1""#).script }
    }
    defer { mirror.stop() }
    var request = Request.get(server.url("/"))
    request.headers[.authorization] = "Bearer s3cr3t"
    request.options.idleTimeout = .seconds(8)

    try await Client().download(request, to: file) {
      $0.parts = 2
      $0.mirrors = [mirror.url("/copy")]
      if isByDigest { $0.digest = .sha256(Self.hash) }
    }

    #expect(try Data(contentsOf: file) == Self.content)
    #expect(!mirror.requests.isEmpty)
    #expect(mirror.requests.allSatisfy { $0.header("Authorization") == nil })
    #expect(server.requests.allSatisfy { $0.header("Authorization") != nil })
  }

  @Test func `a mirror gets no token of a client without a base URL`() async throws {
    let server = try RangeServer.start { answer, _, _ in
      if answer.range.lowerBound > 0 { answer.limit = 5 }
    }
    defer { server.stop() }
    let mirror = try LoopbackServer {
      LoopbackRoute("*") { RangeServer.answer($0, tag: #""v1""#).script }
    }
    defer { mirror.stop() }
    let client = Client { $0.middleware = [BearerAuthentication(token: "s3cr3t")] }

    try await client.download(.get(server.url("/")), to: file) {
      $0.parts = 2
      $0.mirrors = [mirror.url("/copy")]
    }

    #expect(!mirror.requests.isEmpty)
    #expect(mirror.requests.allSatisfy { $0.header("Authorization") == nil })
    #expect(server.requests.allSatisfy { $0.header("Authorization") == "Bearer s3cr3t" })
  }

  @Test(arguments: [#""other""#, nil, #"W/"v1""#])
  func `a mirror of other content isn't used`(_ tag: String?) async throws {
    let server = try RangeServer.start { answer, _, _ in
      if answer.range.lowerBound == 256 << 10 { answer.limit = 5 }
    }
    defer { server.stop() }
    let mirror = try LoopbackServer {
      LoopbackRoute("*") { RangeServer.answer($0, RangeServer.otherContent, tag: tag).script }
    }
    defer { mirror.stop() }

    try await Client().download(.get(server.url("/")), to: file) {
      $0.parts = 2
      $0.mirrors = [mirror.url("/copy")]
    }

    #expect(try Data(contentsOf: file) == Self.content)
    #expect(mirror.requests.count == 1)
  }

  @Test func `a digest that isn't met fails, and the file doesn't appear`() async throws {
    let server = try RangeServer.start()
    defer { server.stop() }
    for parts in [1, 4] as [DownloadOptions.Parts] {
      let error = await #expect(throws: LoadError.self) {
        try await Client().download(.get(server.url("/")), to: file) {
          $0.parts = parts
          $0.digest = .sha512(String(repeating: "0", count: 128))
        }
      }
      #expect(error?.kind == .digest)
      #expect(try directory.names.isEmpty)
    }
  }

  @Test(arguments: ["", "zz", String(repeating: "g", count: 64)])
  func `a text that is no digest is an error before anything is sent`(_ text: String) async throws {
    let server = try RangeServer.start()
    defer { server.stop() }
    let error = await #expect(throws: LoadError.self) {
      try await Client().download(.get(server.url("/")), to: file) { $0.digest = .sha256(text) }
    }
    #expect(error?.kind == .invalidRequest)
    #expect(server.requests.isEmpty)
  }

  @Test func `a file that is there and whole isn't loaded`() async throws {
    let server = try RangeServer.start()
    defer { server.stop() }
    try Self.content.write(to: file)

    let first = try await Client().download(.get(server.url("/")), to: file) {
      $0.digest = .sha256(Self.hash)
    }
    let second = try await Client().download(.get(server.url("/")), to: file) {
      $0.size = Self.content.count
    }

    #expect(first.response.status == .notModified)
    #expect(second.size == Self.content.count)
    #expect(server.requests.isEmpty)
  }

  @Test func `a file that is there with another digest is replaced`() async throws {
    let server = try RangeServer.start()
    defer { server.stop() }
    try RangeServer.otherContent.write(to: file)

    try await Client().download(.get(server.url("/")), to: file) { $0.digest = .sha256(Self.hash) }

    #expect(try Data(contentsOf: file) == Self.content)
  }

  @Test(arguments: [nil, 0o644, 0o640] as [UInt16?], [1, 3] as [DownloadOptions.Parts])
  func `the file has the permissions that the caller wants`(
    _ mode: UInt16?, _ parts: DownloadOptions.Parts
  ) async throws {
    let server = try RangeServer.start()
    defer { server.stop() }

    try await Client().download(.get(server.url("/")), to: file) {
      $0.parts = parts
      $0.permissions = mode
    }

    let attributes = try FileManager.default.attributesOfItem(atPath: file.path())
    #expect((attributes[.posixPermissions] as? NSNumber)?.uint16Value == mode ?? 0o600)
  }

  @Test(arguments: [1, 4] as [DownloadOptions.Parts])
  func `a disk that is too small is an error before the first byte`(
    _ parts: DownloadOptions.Parts
  ) async throws {
    guard let disk = SmallDisk() else {
      withKnownIssue("no small disk can be made here") { Issue.record("skipped") }
      return
    }
    let server = try RangeServer.start()
    defer { server.stop() }

    let error = await #expect(throws: LoadError.self) {
      try await Client().download(.get(server.url()), to: disk.url.appending(path: "f")) {
        $0.parts = parts
      }
    }

    #expect(error?.kind == .file)
    #expect(error?.advice == "Make room on the disk")
    #expect(error?.reason.contains("has no room for 6000000 bytes") == true)
    #expect(server.requests.count == 1)
    let path = disk.url.path(percentEncoded: false)
    #expect(try FileManager.default.contentsOfDirectory(atPath: path).isEmpty)
  }

  @Test func `a disk that is full in between leaves a part that is resumed`() async throws {
    guard let disk = SmallDisk() else {
      withKnownIssue("no small disk can be made here") { Issue.record("skipped") }
      return
    }
    let body = Self.content.prefix(400_000)
    let server = try LoopbackServer {
      LoopbackRoute("*") { request in
        var answer = RangeServer.answer(request, Data(body))
        guard answer.status == 200 else { return answer.script }
        // So that nobody knows its length before.
        answer["Transfer-Encoding"] = "chunked"
        return [
          .bytes("HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nTransfer-Encoding: chunked\r\n\r\n"),
          .chunk(body), .lastChunk(),
        ]
      }
    }
    defer { server.stop() }
    let (file, other) = (disk.url.appending(path: "f"), disk.url.appending(path: "other"))
    try Data(count: 300_000).write(to: other)

    let error = await #expect(throws: LoadError.self) {
      try await Client().download(.get(server.url()), to: file)
    }
    try FileManager.default.removeItem(at: other)
    let download = try await Client().download(.get(server.url()), to: file)

    #expect(error?.kind == .file)
    #expect(download.resumedSize > 100_000)
    #expect(try Data(contentsOf: file) == body)
  }

  @Test func `requests that can't have parts are sent as they are`() async throws {
    let server = try RangeServer.start()
    defer { server.stop() }
    var request = Request.get(server.url("/"))
    request.headers[.range] = "bytes=5-9"

    try await Client().download(request, to: file) { $0.parts = 4 }
    try await Client().download(.post(server.url("/")), to: file) { $0.parts = 4 }

    #expect(server.requests.map { $0.header("Range") } == ["bytes=5-9", nil])
    #expect(try Data(contentsOf: file) == Self.content)
  }

  @Test func `parts follow redirects, and are signed and authenticated like every request`()
    async throws
  {
    let server = try LoopbackServer {
      LoopbackRoute("/from") { _ in .redirect(to: "/to") }
      LoopbackRoute("/to") { request in RangeServer.answer(request).script }
    }
    defer { server.stop() }
    let client = Client(baseURL: server.url("/")) {
      $0.middleware = [BearerAuthentication(token: "t")]
    }

    try await client.download(.get("/from"), to: file) { $0.parts = 3 }

    #expect(try Data(contentsOf: file) == Self.content)
    #expect(server.requests.allSatisfy { $0.header("Authorization") == "Bearer t" })
    #expect(server.requests.filter { $0.path == "/to" }.count > 2)
  }

  @Test func `middleware doesn't keep a download from beginning again`() async throws {
    let server = try RangeServer.start { answer, request, number in
      if number == 3 { (answer.status, answer.body) = (503, Data()) }
      guard number > 4 else { return }
      answer = RangeServer.answer(request, RangeServer.otherContent, tag: #""v2""#)
    }
    defer { server.stop() }
    let client = Client {
      $0.middleware = [
        LoggingMiddleware(to: { _ in }),
        RetryMiddleware(RetryPolicy(backoff: Backoff(base: .zero))), CoalescingMiddleware(),
        BearerAuthentication(token: "t"),
        ConcurrencyLimitMiddleware(maximumRequestsPerHost: 3),
      ]
    }

    try await client.download(.get(server.url("/")), to: file) { $0.parts = 3 }

    #expect(try Data(contentsOf: file) == RangeServer.otherContent)
    #expect(try directory.names == ["file.bin"])
  }

  @Test func `a larger body than the limit isn't loaded in parts either`() async throws {
    let server = try RangeServer.start()
    defer { server.stop() }
    var request = Request.get(server.url("/"))
    request.options.maximumBodySize = 1_000_000

    let error = await #expect(throws: LoadError.self) {
      try await Client().download(request, to: file) { $0.parts = 3 }
    }

    #expect(error?.kind == .tooLarge)
    #expect(try directory.names.isEmpty)
  }
}
