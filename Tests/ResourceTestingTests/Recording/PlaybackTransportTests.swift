import Foundation
import ResourceLoading
import ResourceTesting
import Synchronization
import TestSupport
import Testing

@Suite(.inTurn, .timeLimit(.minutes(10)))
struct PlaybackTransportTests {
  private func recorded(
    _ url: String, _ body: String = "", method: String = "GET", headers: Headers = [:],
    sent: String? = nil
  ) -> HTTPArchive.Entry {
    HTTPArchive.Entry(
      request: .init(
        method, url: url, headers: headers, body: sent.map { .init(Data($0.utf8)) }),
      response: .init(status: 200, body: .init(Data(body.utf8))))
  }

  private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

  private func client(
    _ transport: PlaybackTransport, _ clock: any Clock<Duration> = ContinuousClock()
  ) -> Client {
    Client { ($0.transport, $0.clock) = (transport, clock) }
  }

  private func failure(_ transport: PlaybackTransport, _ request: Request) async -> LoadError? {
    await #expect(throws: LoadError.self) { try await client(transport).load(.void(request)) }
  }

  @Test func `each entry answers once, in the order of the file`() async throws {
    let transport = PlaybackTransport(
      HTTPArchive([
        recorded("https://a.example/1", "one"), recorded("https://a.example/2", "two"),
        recorded("https://a.example/1", "three"),
      ]))
    let client = client(transport)

    #expect(transport.unplayed.count == 3)
    #expect(try await client.load(.text(url("https://a.example/1"))) == "one")
    #expect(try await client.load(.text(url("https://a.example/1"))) == "three")
    #expect(transport.unplayed.map(\.request.url) == ["https://a.example/2"])
    let error = try await failure(transport, .get(url("https://a.example/1")))
    #expect(error?.kind == .notRecorded)
    #expect(
      error?.reason == "the recording answers GET https://a.example/1 only 2 times")
    #expect(try await client.load(.text(url("https://a.example/2"))) == "two")
  }

  @Test func `with repeatedly, the last entry answers all further requests`() async throws {
    let transport = PlaybackTransport(
      HTTPArchive([recorded("https://a.example/", "one"), recorded("https://a.example/", "two")]),
      order: .repeatedly)
    let client = client(transport)

    var texts: [String] = []
    for _ in 0..<4 { texts.append(try await client.load(.text(url("https://a.example/")))) }

    #expect(texts == ["one", "two", "two", "two"])
  }

  @Test func `with inOrder, only the next entry answers`() async throws {
    let transport = PlaybackTransport(
      HTTPArchive([recorded("https://a.example/1", "one"), recorded("https://a.example/2", "two")]),
      order: .inOrder)

    let early = try await failure(transport, .get(url("https://a.example/2")))
    let one = try await client(transport).load(.text(url("https://a.example/1")))
    let two = try await client(transport).load(.text(url("https://a.example/2")))
    let late = try await failure(transport, .get(url("https://a.example/2")))

    #expect(
      early?.reason
        == #"the next entry of the recording, number 1, GET https://a.example/1, doesn't answer GET https://a.example/2: the path is "/2", recorded "/1""#
    )
    #expect([one, two] == ["one", "two"])
    #expect(late?.reason.hasSuffix("only once") == true)
  }

  @Test func `an error shows the nearest entry and the differences`() async throws {
    let transport = PlaybackTransport(
      HTTPArchive([
        recorded("https://a.example/items", method: "POST", sent: #"{"a": 1}"#),
        recorded("https://a.example/items?page=1&size=10"), recorded("https://b.example/"),
      ]), matching: [.method, .url, .headers(.accept), .json])

    let page = try await failure(transport, .get(url("https://a.example/items?page=2&size=10")))
    let body = try await failure(
      transport, Request.post(url("https://a.example/items")).json(["a": 2]))
    let host = try await failure(transport, .get(url("https://c.example/")))
    var accepting = Request.get(try url("https://b.example/"))
    accepting.headers[.accept] = "text/csv"
    let header = await failure(transport, accepting)

    #expect(
      page?.reason
        == #"the recording has no answer to GET https://a.example/items?page=2&size=10; the nearest of its 3 entries is number 2, GET https://a.example/items?page=1&size=10, where the query has "page=2", recorded "page=1""#
    )
    #expect(
      body?.reason.contains("number 1, POST https://a.example/items, where the body differs (")
        == true)
    #expect(
      host?.reason.hasSuffix(
        "number 3, GET https://b.example/, where the origin is https://c.example, recorded https://b.example"
      )
        == true)
    #expect(
      header?.reason.hasSuffix(#"where the header Accept is "text/csv", recorded missing"#) == true)
    #expect(page?.attempts.count == 1)
  }

  @Test func `an empty recording says that it is empty`() async throws {
    let error = try await failure(PlaybackTransport(HTTPArchive()), .get(url("https://a.example/")))

    #expect(error?.reason == "the recording has no answer to GET https://a.example/: it is empty")
  }

  @Test func `the error for a request that isn't recorded contains no secret`() async throws {
    let archive = HTTPArchive([recorded("https://a.example/?token=recorded-77&x=1")])

    let error = try await failure(
      PlaybackTransport(archive), .get(url("https://a.example/?token=planted-1234&x=2")))

    #expect(
      error.map { "\($0)".contains("planted-1234") || "\($0)".contains("recorded-77") } == false)
    #expect(error?.reason.contains("<redacted>") == true)
  }

  @Test(arguments: [
    ("https://a.example/?a=1&b=2", "https://a.example/?b=2&a=1", true),
    ("https://A.example:443", "https://a.example/", true),
    ("http://a.example:80/x", "http://a.example/x", true),
    ("https://a.example/%7Eme", "https://a.example/~me", true),
    ("https://a.example/#part", "https://a.example/", true),
    ("https://a.example/?a=1&a=2", "https://a.example/?a=2&a=1", false),
    ("https://a.example/a%2Fb", "https://a.example/a/b", false),
    ("https://a.example/x", "https://a.example/x/", false),
    ("https://a.example/", "http://a.example/", false),
    ("https://a.example/?a=1", "https://a.example/?a=1&b=2", false),
    ("https://a.example/?a=1&b=2", "https://a.example/?a=1", false),
    ("https://a.example:8443/", "https://a.example/", false),
    ("https://a.example/?a=redacted-1-b-redacted-2-c", "https://a.example/?a=x-b-y-c", true),
    ("https://a.example/?a=redacted-1-b-redacted-2-c", "https://a.example/?a=x-y-c", false),
  ])
  func `equivalent URLs are equal`(
    _ known: String, _ asked: String, _ isEqual: Bool
  ) async throws {
    let transport = PlaybackTransport(HTTPArchive([recorded(known, "found")]))

    let text = try? await client(transport).load(.text(url(asked)))

    #expect((text == "found") == isEqual)
  }

  @Test func `JSON is compared regardless of the order of its members`() async throws {
    let sent = #"{ "b": [1, {"d": null, "c": "x"}], "a": true }"#
    let archive = HTTPArchive([recorded("https://a.example/", "found", method: "POST", sent: sent)])
    func load(_ json: String, _ matcher: RequestMatcher) async throws -> String? {
      let transport = PlaybackTransport(archive, matching: [.method, .url, matcher])
      let request = Request.post(try url("https://a.example/")).body(
        .data(Data(json.utf8), as: .json))
      return try? await client(transport).load(.text(request))
    }

    #expect(try await load(#"{"a":true,"b":[1,{"c":"x","d":null}]}"#, .json) == "found")
    #expect(try await load(#"{"a":true,"b":[1,{"c":"x","d":null}]}"#, .body) == nil)
    #expect(try await load(#"{"a":true,"b":[{"c":"x","d":null},1]}"#, .json) == nil)
    #expect(try await load(#"{"a":true,"b":[1,{"c":"y","d":null}]}"#, .json) == nil)
    #expect(try await load(sent, .body) == "found")
  }

  @Test func `the boundary of a multipart body isn't compared`() async throws {
    let stub = StubTransport()
    stub.stub("*", .json("1"))
    let folder = try TemporaryFolder()
    let recorder = RecordingTransport(to: folder.file(), over: stub)
    func request(_ text: String) throws -> Request {
      Request.post(try url("https://a.example/")).multipart([
        .field("a", text), .field("token", "s-\(text)-123"),
      ])
    }
    try await Client { $0.transport = recorder }.load(.void(request("one")))

    let transport = PlaybackTransport(
      recorder.archive, matching: [.method, .url, .body], order: .repeatedly)

    try await client(transport).load(.void(request("one")))
    #expect(try await failure(transport, request("two"))?.kind == .notRecorded)
  }

  @Test func `a request with a real token, or another one, matches a redacted entry`() async throws
  {
    let stub = StubTransport()
    stub.stub("*", .json(#"{"token": "tok-aaaa-1111", "pin": 123456}"#))
    let folder = try TemporaryFolder()
    let recorder = RecordingTransport(to: folder.file(), over: stub)
    func request(_ token: String, _ pin: Int) throws -> Request {
      var request = Request.post(try url("https://a.example/users/1?api_key=\(token)")).json([
        "password": "\(token)", "pin": pin, "kind": "a",
      ])
      request.headers[.authorization] = "Bearer \(token)"
      return request
    }
    try await Client { $0.transport = recorder }.load(.void(request("tok-aaaa-1111", 123_456)))
    let archive = try HTTPArchive(contentsOf: folder.file())
    #expect(!"\(try String(contentsOf: folder.file(), encoding: .utf8))".contains("123456"))

    for (token, pin) in [("tok-aaaa-1111", 123_456), ("x", 1), ("redacted-1", 900_000_002)] {
      let transport = PlaybackTransport(
        archive, matching: [.method, .url, .headers(.authorization), .json])
      try await client(transport).load(.void(request(token, pin)))
    }
    var other = try request("x", 1)
    other.headers[.authorization] = "Basic x"
    let transport = PlaybackTransport(archive, matching: [.headers(.authorization)])
    #expect(await failure(transport, other)?.kind == .notRecorded)
  }

  @Test func `a caller's matcher is applied as well`() async throws {
    let matcher = RequestMatcher { request, recorded in
      request.headers["X-Tenant"] == recorded.headers["X-Tenant"] ? nil : "the tenant differs"
    }
    let archive = HTTPArchive([
      recorded("https://a.example/", "one", headers: ["X-Tenant": "1"]),
      recorded("https://a.example/", "two", headers: ["X-Tenant": "2"]),
    ])
    let transport = PlaybackTransport(archive, matching: [.method, .url, matcher])
    var request = Request.get(try url("https://a.example/"))
    request.headers["X-Tenant"] = "2"

    #expect(try await client(transport).load(.text(request)) == "two")
    #expect(await failure(transport, request)?.reason.contains(" only ") == true)
    request.headers["X-Tenant"] = "3"
    #expect(await failure(transport, request)?.reason.hasSuffix("where the tenant differs") == true)
  }

  private final class CountingMatcher: Sendable {
    private let calls = Mutex(0)

    var count: Int { calls.withLock { $0 } }

    var matcher: RequestMatcher {
      RequestMatcher { _, _ in
        self.calls.withLock { $0 += 1 }
        return nil
      }
    }
  }

  @Test(
    arguments: [
      { "https://a.example/items/\($0)?page=1" }, { _ in "https://a.example/poll" },
      { "https://a.example/?id=\($0)&token=redacted-\($0)" },
      { "https://a.example/redacted-\($0 % 2)/\($0)" },
    ] as [@Sendable (Int) -> String], PlaybackTransport.Order.allOrders)
  func `an entry is compared only with requests for its URL`(
    _ text: @escaping @Sendable (Int) -> String, _ order: PlaybackTransport.Order
  ) async throws {
    let numbers = Array(0..<200)
    let counting = CountingMatcher()
    let transport = PlaybackTransport(
      HTTPArchive(numbers.map { recorded(text($0), "\($0)") }),
      matching: [counting.matcher, .method, .url], order: order)
    let client = client(transport)

    for number in numbers {
      #expect(try await client.load(.text(url(text(number)))) == "\(number)")
    }

    #expect(counting.count == numbers.count)
    #expect(transport.unplayed.isEmpty)
  }

  @Test func `entries are found in any order, even by real values of secrets`() async throws {
    let numbers = Array(0..<100)
    let entries = numbers.map {
      recorded("https://a.example/\($0)?token=redacted-\($0)&x=\($0 % 7)", "\($0)")
    }
    let client = client(PlaybackTransport(HTTPArchive(entries), matching: [.method, .target]))

    for number in numbers.reversed() {
      let url = try url("https://b.example/\(number)?x=\(number % 7)&token=real-\(number * 3)")
      #expect(try await client.load(.text(url)) == "\(number)")
    }
  }

  @Test func `concurrent loads take each entry once`() async throws {
    let numbers = Set(0..<100)
    let transport = PlaybackTransport(
      HTTPArchive(numbers.sorted().map { recorded("https://a.example/", "\($0)") }))
    let (client, url) = (client(transport), try url("https://a.example/"))

    let texts = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in numbers { group.addTask { try await client.load(.text(url)) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }

    #expect(texts.count == numbers.count)
    #expect(Set(texts.compactMap { Int($0) }) == numbers)
  }

  @Test(arguments: [
    (PlaybackTransport.Pace.recorded, [3.0, 2.0]), (.scaled(by: 0.5), [1.5, 1.0]),
  ])
  func `times are kept or scaled, measured by the injected clock`(
    _ pace: PlaybackTransport.Pace, _ waits: [Double]
  ) async throws {
    let clock = ManualClock()
    var slow = recorded("https://a.example/", "late")
    slow.timings.connect = .seconds(1)
    slow.timings.wait = .seconds(2)
    slow.timings.receive = .seconds(2)
    let transport = PlaybackTransport(HTTPArchive([slow]), pace: pace, clock: clock)
    let load = Task { [url = try url("https://a.example/")] in
      try await client(transport, clock).load(.text(url))
    }

    for wait in waits {
      try await clock.waitForSleepers(count: 1, within: .seconds(5))
      #expect(clock.advanceToNextDeadline() == .seconds(wait))
    }

    #expect(try await load.value == "late")
  }

  @Test func `the longest times are waited for and written like others`() async throws {
    let clock = ManualClock()
    var slow = recorded("https://a.example/", "late")
    slow.timings.connect = .seconds(Int64.max)
    slow.timings.wait = .seconds(Int64.max) * 2
    let archive = HTTPArchive([slow])
    let transport = PlaybackTransport(archive, pace: .scaled(by: 1000), clock: clock)
    let load = Task { [url = try url("https://a.example/")] in
      try await client(transport).load(.text(url))
    }

    try await clock.waitForSleepers(count: 1)
    clock.advanceToNextDeadline()

    #expect(try await load.value == "late")
    #expect(try HTTPArchive(data: archive.data()).entries[0].response == slow.response)
  }

  @Test func `recorded times are ignored by default`() async throws {
    let clock = ManualClock()
    var slow = recorded("https://a.example/", "at once")
    slow.timings.wait = .seconds(3600)
    let transport = PlaybackTransport(HTTPArchive([slow]), clock: clock)

    #expect(try await client(transport).load(.text(url("https://a.example/"))) == "at once")
    #expect(clock.sleepers == 0)
  }

  @Test func `a played load can be cancelled while it waits`() async throws {
    let clock = ManualClock()
    var slow = recorded("https://a.example/", "never")
    slow.timings.wait = .seconds(3600)
    let transport = PlaybackTransport(HTTPArchive([slow]), pace: .recorded, clock: clock)
    let load = Task { [url = try url("https://a.example/")] in
      try await client(transport).load(.text(url))
    }

    try await clock.waitForSleepers(count: 1)
    load.cancel()

    await #expect(throws: CancellationError.self) { try await load.value }
    #expect(clock.sleepers == 0)
  }

  @Test func `a slow reader pauses a long body and gets all of it`() async throws {
    let bytes = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
    var long = recorded("https://a.example/")
    long.response.body = .init(bytes)
    let client = client(PlaybackTransport(HTTPArchive([long])))

    var read = Data()
    for try await chunk in try await client.stream(.get(url("https://a.example/"))) {
      read.append(chunk)
      await Task.yield()
    }

    #expect(read == bytes)
  }

  @Test func `a response to HEAD keeps its Content-Length`() async throws {
    var head = recorded("https://a.example/", method: "HEAD")
    head.response.headers[.contentLength] = "1234"
    head.response.body = nil

    let loaded = try await client(PlaybackTransport(HTTPArchive([head])))
      .load(Resource.void(Request(.head, url: url("https://a.example/"))).withResponse)

    #expect(loaded.response.headers[.contentLength] == "1234")
  }
}

extension PlaybackTransport.Order {
  fileprivate static let allOrders: [Self] = [.once, .inOrder, .repeatedly]
}
