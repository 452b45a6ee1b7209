import Foundation
import PromiseModule
import ResourceLoading
import ResourceTesting
import Synchronization
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The samples of the documentation, word for word; the last test compares them.
@Suite(.inTurn, .timeLimit(.minutes(10))) struct DocumentationTests {
  @Test func `the samples of the overview work`() async throws {
    let server = try LoopbackServer {
      LoopbackRoute("GET /users/1") { _ in .json(#"{"login": "octocat"}"#) }
      LoopbackRoute("GET /flaky", .status(503), .status(503), .json("{}"))
      LoopbackRoute(
        "GET /cut", [.bytes("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n1234"), .close])
    }
    defer { server.stop() }

    let user = try await fetch(server.url("/users/1"))
    #expect(user.contains("octocat"))
    #expect(server.requests.map(\.target) == ["/users/1"])

    await #expect(throws: (any Error).self) { try await fetch(server.url("/flaky")) }
    await #expect(throws: (any Error).self) { try await fetch(server.url("/flaky")) }
    #expect(try await fetch(server.url("/flaky")) == "{}")
    await #expect(throws: (any Error).self) { try await fetch(server.url("/cut")) }
  }

  #if Curl && canImport(CResourceCurl)
    @Test func `the sample of sockets works`() async throws {
      let server = try LoopbackServer {
        LoopbackRoute("GET /echo") { _ in
          .socket { socket in
            while let message = try socket.receive() { try socket.send(message) }
          }
        }
      }
      defer { server.stop() }

      try await Client(baseURL: server.url()).socket(.get("/echo")).withConnection { connection in
        try await connection.send("hello")
        #expect(try await connection.messages.first { _ in true } == "hello")
      }
    }
  #endif

  @Test func `the sample of faults works`() async throws {
    let truncated: Script = [
      .head(headers: ["Content-Length": "100"]), .bytes("only this"), .close,
    ]
    let slow: Script = [.head(headers: ["Content-Length": "4"]), .drip("slow", every: .seconds(1))]
    let broken: Script = [
      .head(headers: ["Transfer-Encoding": "chunked"]), .bytes("zz\r\n"), .close,
    ]
    let endless: Script = [.head(), .repeatForever("0123456789")]
    let noHTTP: Script = [.bytes("220 mail.example.org ESMTP\r\n"), .close]
    let gone: Script = .reset

    let server = try LoopbackServer {
      LoopbackRoute("/truncated", truncated)
      LoopbackRoute("/broken", broken)
      LoopbackRoute("/gone", gone)
      LoopbackRoute("/noHTTP", noHTTP)
      LoopbackRoute("/slow", slow)
      LoopbackRoute("/endless", endless)
    }
    for target in ["/truncated", "/broken", "/endless", "/noHTTP", "/gone"] {
      await #expect(throws: (any Error).self) { try await fetch(server.url(target)) }
    }
  }

  @Test func `the sample that closes at every byte works`() async throws {
    let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}".utf8)
    let server = try LoopbackServer {
      for count in answer.indices {
        LoopbackRoute("GET /\(count)", [.bytes(answer.prefix(count)), .close])
      }
    }
    for count in answer.indices {
      await #expect(throws: (any Error).self) { try await fetch(server.url("/\(count)")) }
    }
  }

  @Test func `the samples of handlers work`() async throws {
    let server = try LoopbackServer {
      LoopbackRoute("GET /private") { request in
        request.header("Authorization") == "Bearer fresh" ? .json("{}") : .status(401)
      }
      LoopbackRoute("GET /old/*") { request in .redirect(to: "/new" + request.path.dropFirst(4)) }
    }

    let answers = try ["/private", "/old/x"].map {
      try RawClient.exchange(server, "GET \($0) HTTP/1.1\r\nAuthorization: Bearer fresh\r\n\r\n")
    }
    #expect(answers[0].hasSuffix("{}"))
    #expect(answers[1].contains("Location: /new/x\r\n"))
  }

  @Test func `the sample of responses in turn works`() async throws {
    let server = try LoopbackServer {
      LoopbackRoute(
        "GET /report", .status(503, headers: ["Retry-After": "0"]), .status(503), .json("{}"))
    }

    await #expect(throws: (any Error).self) { try await fetch(server.url("/report")) }
    await #expect(throws: (any Error).self) { try await fetch(server.url("/report")) }
    #expect(try await fetch(server.url("/report")) == "{}")
  }

  @Test func `the sample of a script for new connections works`() async throws {
    var configuration = LoopbackServer.Configuration()
    configuration.onAccept = { number in number == 1 ? .reset : [] }
    let server = try LoopbackServer(configuration) { LoopbackRoute("GET /", .json("{}")) }

    await #expect(throws: (any Error).self) { try await fetch(server.url()) }
    #expect(try await fetch(server.url()) == "{}")
  }

  @Test(arguments: [("/tooLarge", "413"), ("/careful", "100"), ("/slow", "204")])
  func `the samples of beforeBody routes work`(target: String, status: String) async throws {
    let server = try LoopbackServer {
      LoopbackRoute("POST /tooLarge", answers: .beforeBody, .status(413))
      LoopbackRoute("POST /careful", answers: .beforeBody) { _ in
        [.informational(100), .readBody, .proceed { .response(body: "\($0.bodyLength)") }]
      }
      LoopbackRoute("POST /slow", answers: .beforeBody) { _ in
        [.readBody(size: 1024, every: .milliseconds(1)), .status(204)]
      }
    }

    let client = try RawClient(to: server)
    try client.send("POST \(target) HTTP/1.1\r\nContent-Length: 4\r\n\r\nbody")
    #expect(try client.receive(through: "\r\n\r\n").hasPrefix("HTTP/1.1 \(status) "))
  }

  @Test func `the sample of a gate works`() async throws {
    let gate = Gate()
    let server = try LoopbackServer {
      LoopbackRoute("GET /slow", [.wait(gate), .json("{}")])
    }
    let load = Task { try await fetch(server.url("/slow")) }

    try await gate.waitForArrivals(count: 1)  // the request has reached the server
    gate.open()  // and is answered from now on
    #expect(try await load.value == "{}")
  }

  @Test func `the sample of cancelling works`() async throws {
    let server = try LoopbackServer { LoopbackRoute("GET /", .silence) }
    let load = Task { try await fetch(server.url()) }
    try await server.waitForRequests(count: 1)

    load.cancel()

    try await server.waitForDisconnects(count: 1)
    #expect(server.statistics.aborts == 1)
  }

  @Test func `the samples of received requests work`() async throws {
    let server = try LoopbackServer { LoopbackRoute("POST /", .status(204)) }
    let head = "POST / HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 8\r\n\r\n"
    _ = try RawClient.exchange(server, head + #"{"id":1}"#)

    let request = try #require(server.requests.first)
    #expect(request.method == "POST")
    #expect(request.header("Content-Type") == "application/json")
    #expect(request.text == #"{"id":1}"#)
    #expect(server.statistics.peakInFlight <= 4)
  }
}

extension DocumentationTests {
  @Test func `the samples of scripts work`() async throws {
    let gate = Gate()
    gate.open()
    let slow: Script = [.delay(.milliseconds(50)), .json(#"{"id": 1}"#)]
    let cut: Script = [.bytes("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this"), .close]
    let inPieces: Script = [
      .head(headers: ["Transfer-Encoding": "chunked"]),
      .chunk("one"), .wait(gate), .chunk("two"), .lastChunk(),
    ]

    let server = try LoopbackServer {
      LoopbackRoute("/slow", slow)
      LoopbackRoute("/cut", cut)
      LoopbackRoute("/pieces", [inPieces, .close])
    }
    #expect(try await fetch(server.url("/slow")) == #"{"id": 1}"#)
    await #expect(throws: (any Error).self) { try await fetch(server.url("/cut")) }
    #expect(
      try RawClient.exchange(server, "GET /pieces HTTP/1.1\r\n\r\n")
        .hasSuffix("3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n"))
  }

  @Test func `the sample of a refusing port works`() async throws {
    let refused = try UnservedPort(.refusing)
    await #expect(throws: (any Error).self) { try await fetch(refused.url()) }
  }

  @Test func `the samples of a stub loader work`() async throws {
    struct User: Decodable {
      let login: String
    }
    struct UserModel {
      let loader: any Loader

      func login(_ path: String) async throws -> String {
        let url = try #require(URL(string: "https://api.example.org" + path))
        return try await loader.load(Resource<User>(json: url)).login
      }
    }

    let loader = StubLoader()
    loader.stub("/users/octocat", .json(#"{"login": "octocat"}"#))
    loader.stub("/users/nobody", .response(status: 404))
    let model = UserModel(loader: loader)

    #expect(try await model.login("/users/octocat") == "octocat")
    await #expect(throws: LoadError.self) { try await model.login("/users/nobody") }
    #expect(loader.requests.map { $0.url.path } == ["/users/octocat", "/users/nobody"])
  }

  @Test func `the sample of a stub transport works`() async throws {
    let transport = StubTransport()
    transport.stub("GET /users/1", .status(503), .status(503), .json(#"{"login": "octocat"}"#))
    let client = Client(baseURL: "https://api.example.org") {
      $0.transport = transport
    }

    for _ in 0..<2 {
      await #expect(throws: LoadError.self) { try await client.load(.void(.get("/users/1"))) }
    }
    try await client.load(.void(.get("/users/1")))
  }

  @Test func `the samples of stub sockets work`() async throws {
    let clock = ManualClock()

    let transport = StubTransport()
    transport.stub(
      "GET /live", .socket(.receive, .send("one"), .drop), .socket(.send("two"), .close()))
    let client = Client(baseURL: URL(string: "https://example.org")) {
      ($0.transport, $0.clock) = (transport, clock)
    }
    let messages = client.socket(.get("/live")).messages { try await $0.send("subscribe") }
    let load = Task { try await messages.reduce(into: []) { $0.append($1) } }

    try await clock.waitForSleepers(count: 1, within: .seconds(1))  // the pause after the drop
    clock.advance(by: .seconds(1))
    #expect(try await load.value == ["one", "two"])
    #expect(transport.sockets.map(\.messages) == [["subscribe"], ["subscribe"]])
  }

  @Test func `the sample of a manual clock works`() async throws {
    func loadWithRetry(clock: some Clock<Duration>) async throws {
      try await clock.sleep(for: .seconds(1))
    }

    let clock = ManualClock()
    let retry = Task { try await loadWithRetry(clock: clock) }

    try await clock.waitForSleepers(count: 1)  // the code under test sleeps before its second try
    clock.advance(by: .seconds(1))  // a second passes without waiting
    try await retry.value
  }

  @Test func `the sample of a pause before a time limit works`() async throws {
    let clock = ManualClock()
    let pause = Task { try await clock.sleep(for: .seconds(1)) }

    try await clock.waitForSleepers(count: 1, within: .seconds(30))  // not the idle timeout of 60 s
    clock.advanceToNextDeadline()
    try await pause.value
  }

  @Test func `the samples without a network work`() async throws {
    let loader = StubLoader()
    loader.stub("/users/octocat", .json(#"{"login": "octocat"}"#))
    loader.stub("POST /likes", .status(.noContent))
    loader.stub("/flaky", .status(503), .json("{}"))  // in turn; the last one is repeated
    loader.stub("/offline", .error(LoadError(.connection, "there is no network")))
    loader.stub("*") { request in .json(#"{"path": "\#(request.url.path())"}"#) }  // the rest

    let rest = try await loader.load(.text(.get("/rest")))
    try await loader.load(.void(.post("/likes")))

    #expect(rest == #"{"path": "/rest"}"#)
    #expect(loader.requests.map(\.method) == [.get, .post])
    await #expect(throws: LoadError.self) { try await loader.load(.text(.get("/flaky"))) }
    #expect(try await loader.load(.text(.get("/flaky"))) == "{}")
    await #expect(throws: LoadError.self) { try await loader.load(.text(.get("/offline"))) }
  }

  @Test func `the sample of a gated answer works`() async throws {
    let loader = StubLoader()
    let gate = Gate()
    loader.stub("/slow", .json("{}").waiting(for: gate))
    let load = Task { try await loader.load(.text(.get("/slow"))) }

    try await gate.waitForArrivals(count: 1)  // now it is under way
    gate.open()
    #expect(try await load.value == "{}")
  }

  @Test func `the samples of recordings work`() async throws {
    let url = try #require(URL(string: "https://a.example"))
    let session = URLSession(configuration: .ephemeral)

    #expect(throws: LoadError.self) {
      let recording = try Recording("Fixtures/github.har")
      let client = Client(baseURL: url) { $0.transport = recording }
      _ = client
    }
    #expect(throws: LoadError.self) {
      let recording = try Recording(
        "Fixtures/session.har", over: URLSessionTransport(session: session))
      _ = recording
    }
    #expect(throws: LoadError.self) {
      let recording = try Recording(
        "Fixtures/search.har", matching: [.method, .url, .headers(.accept), .json])
      #expect(recording.unplayed.isEmpty)
    }
    #expect(throws: LoadError.self) {
      var redaction = RecordingRedaction()
      redaction.secretNames = ["patient"]  // further names
      redaction.publicNames = ["code"]  // "code": "not_found" is no secret here
      redaction.secrets = ["Aurora Borealis Ltd"]  // wherever it occurs
      redaction.change = { entry in
        entry.request.url.contains("/telemetry") ? nil : entry  // left out
      }
      let recording = try Recording("Fixtures/clinic.har", redaction: redaction)
      _ = recording
    }
  }

  @Test func `the samples of transports that record and play work`() async throws {
    let source = try LoopbackServer { LoopbackRoute("/", .response(body: "text")) }
    let folder = try TemporaryFolder()
    let (url, file) = (source.url(), folder.file())

    let recorder = RecordingTransport(to: file)
    let client = Client { $0.transport = recorder }
    _ = try await client.load(.text(url))

    let archive = try HTTPArchive(contentsOf: file).redacted()
    let playback = PlaybackTransport(archive, order: .repeatedly, pace: .scaled(by: 0.1))
    source.stop()
    for text in try HTTPArchive(contentsOf: file).redacted().randomTexts { print(text) }
    let player = Client { $0.transport = playback }
    #expect(try await player.load(.text(url)) == "text")

    let server = try LoopbackServer {
      LoopbackRoute(playing: archive) { entry, script in
        switch URL(string: entry.request.url)?.path {
        case "/cut": script.cut(after: 100)
        case "/reset": script.cut(after: 20, .reset)
        case "/slow": [.delay(.seconds(1)), script]
        default: script
        }
      }
    }
    #expect(try await fetch(server.url()) == "text")
  }

  @Test func `the samples in the transports' reference work`() async throws {
    func record() {
      let file = URL(filePath: "/tmp/session.har")
      let client = Client { $0.transport = RecordingTransport(to: file) }
      _ = client
    }
    func play(_ file: URL) throws -> Client {
      let playback = try PlaybackTransport(HTTPArchive(contentsOf: file))
      let client = Client(baseURL: "https://api.example.org") {
        $0.transport = playback
      }
      return client
    }
    func serve(_ archive: HTTPArchive) throws {
      let server = try LoopbackServer {
        LoopbackRoute(playing: archive) { entry, script in
          entry.request.url.hasSuffix("/slow") ? script.cut(after: 100) : script
        }
      }
      server.stop()
    }

    record()
    #expect(throws: LoadError.self) { try play(URL(filePath: "/nowhere/x.har")) }
    try serve(HTTPArchive())
  }

  @Test func `the sample of a simulated network works`() async throws {
    let network = SimulatedNetwork(seed: 7, conditions: .bad)
    network.serve("api.example.org") { _ in .json(#"{"login": "octocat"}"#) }
    let login = try await network.run {
      let client = Client(baseURL: "https://api.example.org") {
        $0.transport = network
        $0.clock = network.clock
        $0.middleware = [RetryMiddleware(RetryPolicy(maximumAttempts: 10))]
      }
      return try await client.load(.text(.get("/users/1")))
    }
    #expect(login == #"{"login": "octocat"}"#)
  }

  @Test func `the sample with a hundred bad networks works`() async {
    for seed in 0..<100 {
      let network = SimulatedNetwork(seed: UInt64(seed), conditions: .bad)
      let bank = Bank()
      network.serve("bank.example.org") { bank.answer($0) }

      await network.run {
        let client = Client(baseURL: "https://bank.example.org") {
          $0.transport = network
          $0.clock = network.clock
        }
        await transfer(100, with: client)
      }

      #expect(bank.transfers <= 1, "seed \(seed)\n\(network.story)")
    }
  }

  @Test func `the sample of network conditions works`() async throws {
    let network = SimulatedNetwork(seed: 1)
    let policy = RetryPolicy(maximumAttempts: 4)
    let retry = RetryMiddleware(policy, using: SeededGenerator(seed: network.seed))
    var conditions = NetworkConditions(latency: .milliseconds(300)...(.seconds(1)))
    conditions.bytesPerSecond = 20_000
    conditions.lostAnswers = 0.1
    conditions.outages = [.seconds(30)..<(.seconds(90))]
    network.serve("api.example.org", conditions: conditions) { _ in .json("{}") }
    let text = try await network.run {
      let client = Client(baseURL: "https://api.example.org") {
        $0.transport = network
        $0.clock = network.clock
        $0.middleware = [retry]
      }
      return try await client.load(.text(.get("/")))
    }
    #expect(text == "{}")
  }

  @Test func `the sample of seeded random numbers works`() {
    var random = SeededGenerator(seed: 7)
    let delay = Int.random(in: 0..<100, using: &random)

    #expect((0..<100).contains(delay))
  }

  @Test func `every sample of the documentation is in this file`() throws {
    let compiled = DocumentationSamples.trimmed(
      try String(contentsOfFile: #filePath, encoding: .utf8))

    let samples = try DocumentationSamples.all(in: "Sources/ResourceTesting")

    #expect(samples.count >= 15)
    for sample in samples {
      #expect(compiled.contains(sample), "not compiled: \(sample)")
    }
  }
}

/// A server that counts what it was told to do.
private final class Bank: Sendable {
  private let state = Mutex(0)

  var transfers: Int { state.withLock(\.self) }

  func answer(_ request: WireRequest) -> StubAnswer {
    state.withLock { $0 += 1 }
    return .status(.noContent)
  }
}

/// Transfers an amount once, and leaves open what a lost answer means.
private func transfer(_ amount: Int, with client: Client) async {
  _ = try? await client.load(.data(.post("/transfers").body(.json(["amount": amount]))))
}
