import Foundation
import PromiseModule
import ResourceLoading
import ResourceTesting
import Synchronization
import TestSupport
import Testing

/// Recordings of servers over each engine, and how they are played.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct RecordingTransportTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private struct Outcome: Equatable, CustomStringConvertible {
    var value: String?
    var status: Int?
    var kind: LoadError.Kind?
    var reason: String?
    var events: [String] = []

    var description: String {
      "\(value ?? "-") \(status ?? 0) \(kind?.rawValue ?? "-") \(reason ?? "-") \(events)"
    }
  }

  private enum Form: CaseIterable {
    case await, promise, callback

    func load(_ request: Request, over client: Client) async throws -> LoadedResponse<String> {
      let resource = Resource.text(request).withResponse
      switch self {
      case .await: return try await client.load(resource)
      case .promise: return try await client.promise(for: resource).value
      case .callback:
        return try await withCheckedThrowingContinuation { continuation in
          client.load(resource) { continuation.resume(with: $0) }
        }
      }
    }
  }

  private func outcome(
    of request: Request, _ form: Form, over transport: any Transport
  ) async -> Outcome {
    let events = Mutex<[String]>([])
    let client = Client {
      $0.transport = transport
      $0.middleware = [RetryMiddleware(RetryPolicy(maximumAttempts: 2, backoff: .none))]
      $0.observer = { event in
        // A played exchange reports the recorded times.
        let name = if case .measured = event.kind { "measured" } else { "\(event.kind)" }
        events.withLock { $0.append(name) }
      }
    }
    var outcome = Outcome()
    do {
      let loaded = try await form.load(request, over: client)
      (outcome.value, outcome.status) = (loaded.value, loaded.response.status.rawValue)
    } catch {
      outcome.kind = (error as? LoadError)?.kind
      outcome.reason = (error as? LoadError)?.reason
      outcome.status = (error as? LoadError)?.response?.status.rawValue
    }
    outcome.events = events.withLock { $0 }
    return outcome
  }

  private func makeServer() throws -> LoopbackServer {
    try LoopbackServer {
      LoopbackRoute("GET /text", .response(body: "some text"))
      LoopbackRoute("GET /empty", .status(204))
      LoopbackRoute("GET /chunked", .chunked(["one ", "two"]))
      LoopbackRoute("GET /old", .redirect(to: "/text", status: 301))
      LoopbackRoute("GET /missing", .json(#"{"message": "no such thing"}"#, status: 404))
      LoopbackRoute("GET /flaky", .status(503), .response(body: "well again"))
      LoopbackRoute(
        "GET /cut", [.head(headers: ["Content-Length": "100"]), .bytes("only this"), .close])
      LoopbackRoute("GET /reset", .reset)
      LoopbackRoute("POST /echo") { request in .response(body: request.body) }
    }
  }

  @Test(arguments: Engine.allCases)
  func `a played load has the same values, errors and events as the recorded one`(
    _ engine: Engine
  ) async throws {
    let server = try makeServer()
    defer { server.stop() }
    var requests = ["/text", "/empty", "/chunked", "/old", "/missing", "/flaky"].map {
      Request.get(server.url($0))
    }
    // URLSession's error texts for a broken connection differ from run to run; libcurl's don't.
    requests += ["/cut", "/reset"].map { Request.get(server.url($0)) }
    requests.append(Request.post(server.url("/echo")).body(.text("sent")))
    let recorder = RecordingTransport(to: folder.file(), over: engine.makeTransport())
    var live: [Outcome] = []
    for request in requests { live.append(await outcome(of: request, .await, over: recorder)) }
    server.stop()

    let archive = try HTTPArchive(contentsOf: folder.file())
    for form in Form.allCases {
      let playback = PlaybackTransport(archive, matching: [.method, .url, .body])
      for (request, live) in zip(requests, live) {
        let played = await outcome(of: request, form, over: playback)
        #expect(played == live)
      }
      #expect(playback.unplayed.isEmpty)
    }
    #expect(live.map(\.value).compactMap(\.self).count == 6)
    #expect(live[6].kind == .connection)
    #expect(live[7].kind == .connection)
    let kept = recorder.archive.entries
    #expect(archive.entries.map(\.request.headers) == kept.map(\.request.headers))
    #expect(archive.entries.map(\.response.headers) == kept.map(\.response.headers))
    #expect(archive.entries.map(\.response.body?.data) == kept.map(\.response.body?.data))
    #expect(archive.entries.map(\.failure) == kept.map(\.failure))
  }

  @Test(arguments: Engine.allCases)
  func `each redirect and each attempt is an entry, in the order in which they end`(
    _ engine: Engine
  ) async throws {
    let server = try makeServer()
    defer { server.stop() }
    let recorder = RecordingTransport(to: folder.file(), over: engine.makeTransport())

    _ = await outcome(of: .get(server.url("/old")), .await, over: recorder)
    _ = await outcome(of: .get(server.url("/flaky")), .await, over: recorder)

    let entries = try HTTPArchive(contentsOf: folder.file()).entries
    #expect(
      entries.map { URL(string: $0.request.url)?.path } == ["/old", "/text", "/flaky", "/flaky"])
    #expect(entries.map(\.response.status) == [301, 200, 503, 200])
    #expect(entries[0].response.headers[.location] == "/text")
    #expect(entries.allSatisfy { $0.started != nil && $0.timings.wait != nil })
  }

  @Test(arguments: Engine.allCases)
  func `downloads and uploads of files are recorded and played`(_ engine: Engine) async throws {
    let server = try makeServer()
    defer { server.stop() }
    let recorder = RecordingTransport(to: folder.file(), over: engine.makeTransport())
    let upload = folder.file("upload.bin")
    let bytes = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 * 31) })
    try bytes.write(to: upload)
    let request = Request.post(server.url("/echo")).body(.file(upload))
    let client = Client { $0.transport = recorder }

    let live = try await client.load(.download(request, to: folder.file("live.bin")))
    server.stop()
    let playback = try PlaybackTransport(
      HTTPArchive(contentsOf: folder.file()), matching: [.method, .url, .body])
    let player = Client { $0.transport = playback }
    let played = try await player.load(.download(request, to: folder.file("played.bin")))

    #expect(try Data(contentsOf: played.file) == bytes)
    #expect(played.size == live.size)
    #expect(recorder.archive.entries[0].request.body?.data == bytes)
  }

  @Test(arguments: Engine.allCases)
  func `bytes of a stream are passed on before it ends, and are played`(_ engine: Engine)
    async throws
  {
    let gate = Gate()
    let server = try LoopbackServer {
      LoopbackRoute(
        "GET /log",
        [
          .head(headers: ["Transfer-Encoding": "chunked"]), .chunk("one\n"), .wait(gate),
          .chunk("two\n"), .lastChunk(),
        ])
    }
    defer { server.stop() }
    let recorder = RecordingTransport(to: folder.file(), over: engine.makeTransport())
    let client = Client { $0.transport = recorder }

    var lines = try await client.stream(.get(server.url("/log"))).lines.makeAsyncIterator()
    let first = try await lines.next()
    // Now the server sends the rest.
    gate.open()
    let rest = [try await lines.next(), try await lines.next()]
    server.stop()
    let player = Client { [recorder] in $0.transport = PlaybackTransport(recorder.archive) }
    var played: [String] = []
    for try await line in try await player.stream(.get(server.url("/log"))).lines {
      played.append(line)
    }

    #expect(first == "one")
    #expect(rest == ["two", nil])
    #expect(played == ["one", "two"])
  }

  @Test
  func `the file is written as a whole, only its owner can read it, and nothing is left beside it`()
    async throws
  {
    let stub = StubTransport()
    stub.stub("*", .status(.ok))
    let recorder = RecordingTransport(to: folder.file(), over: stub)
    let client = Client { $0.transport = recorder }

    for number in 1...3 {
      try await client.load(.void(Request.get(#require(URL(string: "http://a.example/\(number)")))))
      #expect(try HTTPArchive(contentsOf: folder.file()).entries.count == number)
    }

    let attributes = try FileManager.default.attributesOfItem(atPath: folder.file().path)
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    #expect(try folder.names == ["recording.har"])
  }

  @Test func `a load fails if its exchange can't be written`() async throws {
    let stub = StubTransport()
    stub.stub("*", .status(.ok))
    let file = folder.url.appending(path: "missing/recording.har")
    let recorder = RecordingTransport(to: file, over: stub)
    let client = Client { $0.transport = recorder }

    let error = await #expect(throws: LoadError.self) {
      try await client.load(.void(.get(#require(URL(string: "http://a.example/")))))
    }
    let saving = await #expect(throws: LoadError.self) { try await recorder.save() }

    #expect(error?.kind == .file)
    #expect(error?.reason.hasPrefix("the exchange can't be recorded: the file ") == true)
    #expect(saving?.kind == .file)
  }

  @Test func `concurrent loads are all recorded`() async throws {
    let stub = StubTransport()
    stub.stub("*", .status(.ok))
    let recorder = RecordingTransport(to: folder.file(), over: stub)
    let client = Client { $0.transport = recorder }

    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<100 {
        let url = try #require(URL(string: "http://a.example/\(number)"))
        group.addTask { try await client.load(.void(url)) }
      }
      try await group.waitForAll()
    }

    let urls = try HTTPArchive(contentsOf: folder.file()).entries.map(\.request.url)
    #expect(Set(urls).count == 100)
    #expect(urls.count == 100)
  }

  @Test func `a body above the limit is passed on completely and kept in part`() async throws {
    let stub = StubTransport()
    stub.stub("*", .response(body: Data(repeating: 0x61, count: 1000)))
    var limits = RecordingTransport.Limits()
    limits.maximumBodySize = 100
    let recorder = RecordingTransport(to: folder.file(), over: stub, limits: limits)
    let client = Client { $0.transport = recorder }
    let url = try #require(URL(string: "http://a.example/"))
    let request = Request.post(url).body(.data(Data(repeating: 0x62, count: 500)))

    let live = try await client.load(.data(request))
    let archive = try HTTPArchive(contentsOf: folder.file())
    func play(_ matchers: [RequestMatcher]) async -> LoadError? {
      await #expect(throws: LoadError.self) {
        try await Client { $0.transport = PlaybackTransport(archive, matching: matchers) }
          .load(.data(request))
      }
    }
    let played = await play([.method, .url])
    let matched = await play([.method, .url, .body])

    #expect(live.count == 1000)
    #expect(archive.entries[0].response.body?.data.count == 100)
    #expect(archive.entries[0].response.body?.size == 1000)
    #expect(archive.entries[0].request.body?.data.count == 100)
    #expect(played?.kind == .notRecorded)
    #expect(
      played?.reason == "the recording has only the first 100 of the 1000 bytes of this response")
    #expect(matched?.reason.contains("only the first 100 bytes of the recorded body") == true)
  }

  @Test func `exchanges above the limits are left out, and the file says so`() async throws {
    let stub = StubTransport()
    stub.stub("*", .response(body: Data(repeating: 0x61, count: 1000)))
    var limits = RecordingTransport.Limits()
    limits.maximumEntries = 2
    let recorder = RecordingTransport(to: folder.file(), over: stub, limits: limits)
    limits = RecordingTransport.Limits()
    limits.maximumFileSize = 1500
    let small = RecordingTransport(to: folder.file("small.har"), over: stub, limits: limits)

    for transport in [recorder, small] {
      let client = Client { $0.transport = transport }
      for number in 1...4 {
        _ = try await client.load(.data(#require(URL(string: "http://a.example/\(number)"))))
      }
    }

    let archive = try HTTPArchive(contentsOf: folder.file())
    #expect(archive.entries.count == 2)
    #expect(
      archive.comment
        == "The recording is full (at most 2 exchanges, 67108864 bytes): 2 were left out.")
    #expect(small.archive.entries.count == 0 || small.archive.entries.count == 1)
    let error = await #expect(throws: LoadError.self) {
      try await Client { $0.transport = PlaybackTransport(archive) }
        .load(.data(#require(URL(string: "http://a.example/4"))))
    }
    #expect(error?.reason.contains("It says: The recording is full") == true)
  }

  @Test func `an abandoned exchange is recorded as such, and is abandoned again`() async throws {
    let stub = StubTransport()
    stub.stub("*", .never)
    let recorder = RecordingTransport(to: folder.file(), over: stub)
    let url = try #require(URL(string: "http://a.example/"))

    let cancelled = Task { try await Client { $0.transport = recorder }.load(.data(url)) }
    try await stub.waitForRequests(count: 1)
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    try await stub.waitForCancellations(count: 1)
    try await recorder.save()

    let archive = try HTTPArchive(contentsOf: folder.file())
    #expect(archive.entries.map(\.failure?.kind) == [HTTPArchive.Failure.cancelled])
    // It is played until the time limit, like the real one.
    var request = Request(url: url)
    request.options.timeout = .milliseconds(50)
    let error = await #expect(throws: LoadError.self) {
      try await Client { $0.transport = PlaybackTransport(archive) }.load(.data(request))
    }
    #expect(error?.kind == .timedOut)
  }

  @Test func `a stream that its reader left early is played to the same place`() async throws {
    let gate = Gate()
    let server = try LoopbackServer {
      LoopbackRoute("GET /log", [.head(), .bytes("one\ntwo\n"), .wait(gate)])
    }
    defer { server.stop() }
    let recorder = RecordingTransport(to: folder.file())
    func firstLine(over transport: any Transport) async throws -> String? {
      let client = Client { $0.transport = transport }
      for try await line in try await client.stream(.get(server.url("/log"))).lines { return line }
      return nil
    }

    let live = try await firstLine(over: recorder)
    // It is given up when its stream is freed, and no load waits for that.
    while recorder.archive.entries.isEmpty {
      await Task.yield()
      try await recorder.save()
    }
    gate.open()
    server.stop()

    #expect(recorder.archive.entries.first?.failure?.kind == HTTPArchive.Failure.cancelled)
    #expect(live == "one")
    #expect(try await firstLine(over: PlaybackTransport(recorder.archive)) == "one")
  }

  @Test(arguments: [
    LoadError.Kind.timedOut, .connection, .secureConnection, .address, .closed,
    LoadError.Kind(rawValue: "own"),
  ])
  func `a failed exchange fails with the same kind of error when it is played`(
    _ kind: LoadError.Kind
  )
    async throws
  {
    let stub = StubTransport()
    stub.stub("*", .error(LoadError(kind, "it went wrong")))
    let recorder = RecordingTransport(to: folder.file(), over: stub)
    let url = try #require(URL(string: "http://a.example/"))
    _ = try? await Client { $0.transport = recorder }.load(.data(url))

    let archive = try HTTPArchive(contentsOf: folder.file())
    let error = await #expect(throws: LoadError.self) {
      try await Client { $0.transport = PlaybackTransport(archive) }.load(.data(url))
    }

    #expect(error?.kind == kind)
    #expect(error?.reason == "it went wrong")
  }

  @Test(arguments: Engine.allCases)
  func `a played failure knows whether the request was sent`(_ engine: Engine) async throws {
    let refusing = try UnservedPort(.refusing)
    let recorder = RecordingTransport(to: folder.file(), over: engine.makeTransport())
    let request = Request.post(refusing.url()).body(.text("once"))

    let live = await outcome(of: request, .await, over: recorder)
    let archive = try HTTPArchive(contentsOf: folder.file())
    let played = await outcome(of: request, .await, over: PlaybackTransport(archive))
    let error = await #expect(throws: LoadError.self) {
      try await Client { $0.transport = PlaybackTransport(archive) }.load(.void(request))
    }

    #expect(played == live)
    #expect(archive.entries.map(\.failure?.isUnsent) == [true])
    #expect(error?.isUnsent == true)
  }
}
