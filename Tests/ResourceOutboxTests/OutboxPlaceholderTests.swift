import Foundation
import ResourceJSON
import ResourceLoading
import ResourceStore
import ResourceTesting
import StoreTestSupport
import TestSupport
import Testing

@testable import ResourceOutbox

/// Values that the server gives, in the requests of later entries.
@Suite(.inTurn, .timeLimit(.minutes(15)))
struct OutboxPlaceholderTests {
  /// Sends the requests after one whose answer gives the value, with the client's own headers.
  private func send(
    _ value: JSONValue, with headers: Headers = [:], in requests: (OutboxPlaceholder) -> [Request]
  ) async throws -> (sent: [WireRequest], parked: [LoadError.Kind]) {
    let fixture = try OutboxFixture()
    let answer = try JSONEncoder().encode(["id": value])
    fixture.transport.stub("POST /v1/first", .response(body: answer))
    fixture.transport.stub("*", .status(200))
    let client = Client(baseURL: URL(string: "https://api.example.org/v1")!) {
      ($0.transport, $0.clock, $0.headers) = (fixture.transport, fixture.clock, headers)
    }
    let outbox = try await Outbox(
      store: fixture.database.open(), client: client, settings: fixture.settings)
    try await outbox.pause()
    let id = OutboxPlaceholder()
    try await outbox.add(.post("/first"), as: "first") { $0.placeholders = [id: .json("/id")] }
    for (number, request) in requests(id).enumerated() {
      try await outbox.add(request, as: "\(number)")
    }
    try await outbox.resume()
    try await outbox.wait { $0.allSatisfy { $0.state == .parked } }
    let parked = try await outbox.currentEntries().compactMap(\.error?.kind)
    await outbox.close()
    return (Array(fixture.transport.requests.dropFirst()), parked)
  }

  @Test func `an inserted value stays a value, in any place`() async throws {
    let value = #"a/../b?c#d&e=<f x='g'>"h\i"#
    let (sent, parked) = try await send(.string(value)) { id in
      [
        .put("/path/\(id)").query(["q": "\(id)"]),
        .put("/json").json(["whole": "\(id)", "part": "<\(id)>", "\(id)": "name"]),
        .put("/form").form(["id": "\(id)"]),
        .put("/xml").body(.data(Data("<id of='\(id)'>\(id)</id>".utf8), as: "application/xml")),
        .put("/header").header("X-Id", "\(id)"),
      ]
    }

    #expect(parked == [])
    let bodies = try sent.reduce(into: [:]) {
      $0[$1.url.lastPathComponent] = try $1.body?.data() ?? Data()
    }
    let escaped = "a%2F..%2Fb%3Fc%23d%26e%3D%3Cf%20x%3D%27g%27%3E%22h%5Ci"
    let path = sent.first { $0.url.path().contains("/path/") }
    #expect(path?.url.path() == "/v1/path/\(escaped)")
    #expect(path?.url.query() == "q=\(escaped)")
    let json = try JSONDecoder().decode([String: String].self, from: bodies["json"] ?? Data())
    #expect(json == ["whole": value, "part": "<\(value)>", value: "name"])
    #expect(bodies["form"] == Data("id=\(escaped)".utf8))
    let xml = "a/../b?c#d&amp;e=&lt;f x=&apos;g&apos;&gt;&quot;h\\i"
    #expect(bodies["xml"] == Data("<id of='\(xml)'>\(xml)</id>".utf8))
    #expect(sent.compactMap { $0.headers["X-Id"] } == [value])
  }

  @Test func `a number stays a number in JSON, except as the name of a member`() async throws {
    let (sent, _) = try await send(.number(17)) { id in
      [.put("/json").json(["whole": "\(id)", "\(id)": "name"])]
    }

    let body = try JSONDecoder().decode(
      [String: JSONValue].self, from: #require(try sent.first?.body?.data()))
    #expect(body == ["whole": .number(17), "17": .string("name")])
  }

  @Test(arguments: [true, false])
  func `a value is escaped by the media type in the headers of the request or the client`(
    isClient: Bool
  ) async throws {
    let value = #"x","isAdmin":"true"#
    let headers: Headers = [.contentType: "application/json; charset=utf-8"]
    let (sent, _) = try await send(.string(value), with: isClient ? headers : [:]) { id in
      let body = Request.Body.data(Data(#"{"id":"\#(id)"}"#.utf8))
      return [Request(.put, "/json", headers: isClient ? [:] : headers, body: body)]
    }

    let body = try #require(try sent.first?.body?.data())
    #expect(try JSONDecoder().decode([String: String].self, from: body) == ["id": value])
  }

  @Test(arguments: ["..", ".", "%2e%2E"])
  func `a value that would lead to another path isn't sent`(value: String) async throws {
    let (sent, parked) = try await send(.string(value)) { id in
      [
        .delete("/issues/\(id)/comments"),
        .delete(URL(string: "https://api.example.org/v1/issues/\(id)/comments")!),
      ]
    }

    let paths = Set(sent.map { $0.url.path() })
    #expect(value.contains("%") ? paths == ["/v1/issues/%252e%252E/comments"] : paths.isEmpty)
    #expect(parked.allSatisfy { $0 == .invalidRequest })
  }

  @Test func `a value with a line break isn't inserted into a header, and an empty one is missing`()
    async throws
  {
    let (broken, parked) = try await send(.string("a\r\nX-Admin: 1")) { id in
      [.put("/a").header("X-Id", "\(id)")]
    }
    let (none, without) = try await send(.string("")) { id in [.delete("/issues/\(id)")] }

    #expect(broken.isEmpty && parked == [.invalidRequest])
    #expect(none.isEmpty && without == [.outbox])
  }

  @Test(
    arguments: [("/0", "7"), ("/1/~1a", "8"), ("/01", nil), ("/+0", nil), ("/-0", nil)]
      as [(String, String?)])
  func `a pointer finds the value that RFC 6901 defines`(_ pointer: String, _ value: String?) throws
  {
    let url = try #require(URL(string: "https://api.example.org"))
    let response = Response(url: url, body: Data(#"[7, {"/a": 8}]"#.utf8))

    let found = OutboxValueSource.json(pointer).value(in: response)

    #expect(found.map { String(decoding: $0, as: UTF8.self) } == value)
  }

  @Test func `an entry can't wait for a value of its own or of a later entry`() async throws {
    let fixture = try OutboxFixture()
    fixture.transport.stub("*", .status(422))
    let (_, outbox) = try await fixture.open()
    let (own, later) = (OutboxPlaceholder(), OutboxPlaceholder())
    let error = await #expect(throws: LoadError.self) {
      try await outbox.add(.put("/\(own)"), as: "a") { $0.placeholders = [own: .json("/id")] }
    }
    #expect(error?.kind == .outbox)
    let receipt = try await outbox.add(.post("/a"), as: "a") {
      $0.placeholders = [own: .json("/id")]
    }
    await #expect(throws: LoadError.self) { try await receipt.answer() }
    try await outbox.add(.post("/b"), as: "a") { $0.placeholders = [later: .json("/id")] }

    for placeholder in [own, later] {
      let error = await #expect(throws: LoadError.self) {
        try await outbox.correct(#require(receipt.id), with: .post("/a/\(placeholder)"))
      }
      #expect(error?.kind == .outbox)
    }
    #expect(try await outbox.currentEntries().map(\.state) == [.parked, .waiting])
    await outbox.close()
  }

  @Test func `an old value is removed when the outbox is opened, unless an entry contains it`()
    async throws
  {
    var fixture = try OutboxFixture()
    fixture.settings.placeholderLifetime = .seconds(3600)
    fixture.transport.stub("*", .json(#"{"id": 7}"#))
    let (store, outbox) = try await fixture.open()
    let (unused, used, recent) = (OutboxPlaceholder(), OutboxPlaceholder(), OutboxPlaceholder())
    for placeholder in [unused, used] {
      let receipt = try await outbox.add(.post("/a"), as: "a") {
        $0.placeholders = [placeholder: .json("/id")]
      }
      _ = try await receipt.answer()
    }
    try await outbox.pause("b")
    try await outbox.add(.put("/\(used)"), as: "b")
    _ = try await store.write { connection in
      try connection.execute(#"UPDATE "Outbox placeholders 1" SET given = given - 3601"#)
    }
    let receipt = try await outbox.add(.post("/a"), as: "a") {
      $0.placeholders = [recent: .json("/id")]
    }
    _ = try await receipt.answer()
    await outbox.close()

    let next = try await Outbox(store: store, client: fixture.client, settings: fixture.settings)

    #expect(try await next.value(of: unused) == nil)
    #expect(try await next.value(of: used) == "7")
    #expect(try await next.value(of: recent) == "7")
    await next.close()
  }
}
