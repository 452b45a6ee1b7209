import Foundation
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

@Suite(.inTurn, .timeLimit(.minutes(10)))
struct HTTPArchiveTests {
  private func client(playing text: String, over matchers: [RequestMatcher] = [.method, .url])
    throws
    -> Client
  {
    let archive = try HTTPArchive(data: Data(text.utf8))
    return Client { $0.transport = PlaybackTransport(archive, matching: matchers) }
  }

  private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

  @Test func `a file from Chrome is read and played`() async throws {
    struct User: Decodable {
      let login: String
    }
    let archive = try HTTPArchive(data: Data(BrowserArchives.chrome.utf8))
    let client = try client(playing: BrowserArchives.chrome)

    let user = try await client.load(
      Resource<User>(json: url("https://api.example.org/users/1?a=1&b=2")).withResponse)
    let image = try await client.load(.data(url("https://api.example.org/dot.png")))
    let cached = try await client.load(.text(url("https://api.example.org/cached")))
    let refused = await #expect(throws: LoadError.self) {
      try await client.load(.void(url("https://ads.example.net/pixel")))
    }

    #expect(user.value.login == "octocat")
    #expect(user.response.headers[.contentEncoding] == nil)
    #expect(user.response.headers[.contentLength] == "19")
    #expect(user.response.headers.values(of: .setCookie) == ["a=1; Path=/", "b=2; Path=/"])
    #expect(image == Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]))
    #expect(cached == "cached")
    #expect(refused?.kind == .connection)
    #expect(refused?.reason.contains("net::ERR_CONNECTION_REFUSED") == true)
    #expect(archive.creator == "WebInspector")
    #expect(
      archive.entries[0].request.headers.map(\.name.rawValue) == ["accept", "accept-encoding"])
    #expect(archive.entries[0].timings.wait == .microseconds(47_250))
    #expect(archive.entries[0].timings.dns == nil)
    #expect(archive.entries[0].started == Date(timeIntervalSince1970: 1_795_166_043.125))
  }

  @Test func `a redirect that Chrome recorded is followed`() async throws {
    let client = try client(
      playing: BrowserArchives.chrome, over: [.method, .url, .body, .headers(.contentType)])

    let text = try await client.load(
      .text(
        Request.post(url("https://api.example.org/login")).form(["user": "jan f", "code": "+1"])))

    #expect(text == #"{"login":"octocat"}"#)
  }

  @Test func `a file from Firefox is read and played`() async throws {
    let archive = try HTTPArchive(data: Data(BrowserArchives.firefox.utf8))
    let client = try client(playing: BrowserArchives.firefox, over: [.method, .url, .body])

    let page = try await client.load(
      .text(Request.post(url("https://www.example.org/search")).form(["text": "naïve & co"])))
    let unsaved = await #expect(throws: LoadError.self) {
      try await client.load(.data(url("https://www.example.org/large.bin")))
    }

    #expect(page == "<p>naïve</p>")
    #expect(unsaved?.kind == .notRecorded)
    #expect(unsaved?.reason == "the recording doesn't have the body of this response")
    #expect(archive.entries[0].timings.connect == .milliseconds(20))
    #expect(archive.entries[0].timings.receive == nil)
    #expect(archive.entries[0].started == Date(timeIntervalSince1970: 1_795_166_043.125))
  }

  @Test func `a file from Safari is read and played`() async throws {
    let client = try client(playing: BrowserArchives.safari)

    #expect(try await client.load(.text(url("https://api.example.org/status"))) == "fine")
    let failed = await #expect(throws: LoadError.self) {
      try await client.load(.void(url("https://api.example.org/gone")))
    }
    #expect(failed?.kind == .connection)
    #expect(failed?.reason == "the recorded request got no response")
  }

  @Test(arguments: [BrowserArchives.chrome, BrowserArchives.firefox, BrowserArchives.safari])
  func `a written archive is read back unchanged`(_ text: String) throws {
    let archive = try HTTPArchive(data: Data(text.utf8))

    var again = try HTTPArchive(data: archive.data())
    let twice = try HTTPArchive(data: again.data())

    #expect(again == twice)
    // The format can't express unknown times for sending, waiting and receiving.
    for index in again.entries.indices {
      let timings = archive.entries[index].timings
      again.entries[index].timings.send = timings.send
      again.entries[index].timings.wait = timings.wait
      again.entries[index].timings.receive = timings.receive
    }
    #expect(again == archive)
  }

  @Test func `other programs can read a file as HAR 1.2`() throws {
    var entry = HTTPArchive.Entry(
      request: .init(
        "POST", url: "https://a.example/?q=1&r", headers: [.cookie: "a=1; b=2"],
        body: .init(Data("text".utf8), mediaType: "text/plain")),
      response: .init(
        status: 302, headers: [.location: "/x", .setCookie: "c=3; Path=/"],
        body: .init(Data([0xFF, 0]), mediaType: "image/x")))
    entry.timings.wait = .milliseconds(5)

    let data = try HTTPArchive([entry], comment: "mine").data()
    let log = try JSONValue(parsing: data)["log"]
    let (request, response) = (log?["entries"]?[0]?["request"], log?["entries"]?[0]?["response"])

    #expect(log?["version"] == "1.2")
    #expect(log?["comment"] == "mine")
    #expect(
      request?["queryString"] == [["name": "q", "value": "1"], ["name": "r", "value": ""]])
    #expect(
      request?["cookies"] == [["name": "a", "value": "1"], ["name": "b", "value": "2"]])
    #expect(request?["postData"]?["text"] == "text")
    #expect(response?["redirectURL"] == "/x")
    #expect(response?["statusText"] == "Found")
    #expect(response?["content"]?["encoding"] == "base64")
    #expect(response?["content"]?["text"] == "/wA=")
    #expect(log?["entries"]?[0]?["time"] == 5)
    #expect(log?["entries"]?[0]?["timings"]?["dns"] == -1)
    #expect(log?["entries"]?[0]?["cache"] == .object([:]))
  }

  private static let entry = """
    {"request": {"method": "GET", "url": "http://a.example/"}, "response": {"status": 200}}
    """

  @Test(arguments: [
    ("", "empty"), ("{", "line 1"), ("[]", "found an array"), ("{}", "log"),
    (#"{"log": {}}"#, "entries"), (#"{"log": {"entries": {}}}"#, "log.entries"),
    (#"{"log": {"entries": [1]}}"#, "log.entries[0]"),
    (#"{"log": {"entries": [{}]}}"#, "request"),
    (#"{"log": {"entries": [{"request": {"method": 1}}]}}"#, "log.entries[0].request.method"),
    (#"{"log": {"entries": [{"request": {"method": "GET", "url": null}}]}}"#, "request.url"),
    (#"{"log": {"entries": [{"request": {"method": "GET"}}]}}"#, "entry number 1, GET"),
    (#"{"log": {"entries": [\#(entry), {"request": {"url": "a:b"}}]}}"#, "entry number 2, a:b"),
    (#"{"log": {"entries": [\#(entry), 7]}}"#, "entry number 2: "),
    (entry.replacing("200", with: #"200, "headers": "no""#).inLog, "GET http://a.example/: "),
    (entry.replacing("200", with: #"200, "headers": [{"name": 1}]"#).inLog, "headers[0].name"),
    (String(BrowserArchives.chrome.prefix(2000)), "line"),
    (
      entry.replacing("200", with: "200, \"x\": " + String(repeating: "[", count: 100_000)).inLog,
      "deep"
    ),
    ("<html></html>", "markup"),
  ])
  func `a file that isn't HAR gives a clear error`(_ text: String, _ clue: String) {
    let error = #expect(throws: LoadError.self) { try HTTPArchive(data: Data(text.utf8)) }

    #expect(error?.kind == .parsing)
    #expect(error?.description.contains(clue) == true, "\(String(describing: error))")
    #expect(error?.advice == "Use a HAR file, version 1.2")
  }

  @Test(arguments: [
    #""time": 1e308"#, #""time": -5"#, #""time": "soon""#, #""time": null"#,
    #""timings": {"wait": -1e308, "receive": 1e300, "dns": "x", "send": null}"#, #""timings": 7"#,
    #""timings": []"#, #""startedDateTime": 5"#, #""startedDateTime": "yesterday""#,
    #""_initiator": "https://a.example/", "cache": {"beforeRequest": null}, "connection": 7"#,
    #""_error": {}, "comment": {}, "pageref": 1, "serverIPAddress": null"#, #""cache": null"#,
    #""_webSocketMessages": [{"type": "send", "time": 1.5, "opcode": 1, "data": "x"}]"#,
  ])
  func `meaningless values that nothing depends on count as unknown`(_ member: String) throws {
    let text = Self.entry.replacing(
      #""response""#, with: "\(member), \"response\"")

    let entry = try #require(try HTTPArchive(data: Data(text.inLog.utf8)).entries.first)

    #expect(entry.response.status == 200)
    #expect(entry.timings == HTTPArchive.Timings())
    #expect(entry.started == nil)
    _ = try HTTPArchive([entry]).data()
  }

  @Test(arguments: [-1e300, 1e300, -1, 3.5]) func `meaningless sizes are unknown`(_ size: Double)
    throws
  {
    let content =
      #"200, "bodySize": \#(size), "content": {"size": \#(size), "text": "abc", "_complete": false}"#
    let text = Self.entry.replacing("200", with: content)

    let body = try HTTPArchive(data: Data(text.inLog.utf8)).entries.first?.response.body

    #expect(body?.data == Data("abc".utf8))
    #expect(body?.isComplete == false)
  }

  @Test(arguments: 0..<200) func `a file with a changed byte never crashes the process`(_ seed: Int)
    throws
  {
    var random = SeededGenerator(seed: UInt64(seed))
    var bytes = Array(BrowserArchives.chrome.utf8)
    for _ in 0..<4 {
      bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(
        in: 0...255, using: &random)
    }

    guard let archive = try? HTTPArchive(data: Data(bytes)) else { return }
    #expect(try HTTPArchive(data: archive.data()).entries.count == archive.entries.count)
  }

  @Test func `a missing file is an error of its own kind`() {
    let error = #expect(throws: LoadError.self) {
      try HTTPArchive(contentsOf: URL(filePath: "/nowhere/x.har"))
    }

    #expect(error?.kind == .file)
    #expect(error?.reason.contains("/nowhere/x.har") == true)
  }

  @Test func `a byte order mark is skipped`() throws {
    let data = Data([0xEF, 0xBB, 0xBF]) + Data(Self.entry.inLog.utf8)

    #expect(try HTTPArchive(data: data).entries.count == 1)
  }
}

extension String {
  fileprivate var inLog: String { #"{"log": {"version": "1.2", "entries": [\#(self)]}}"# }
}
