import Foundation
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

/// Texts that are equal as Swift strings but have different bytes.
@Suite(.inTurn, .timeLimit(.minutes(15)))
struct ByteEqualityTests {
  /// One letter, and an `e` followed by an accent.
  private static let (one, other) = ("\u{E9}", "e\u{301}")

  private func requests(_ text: String) throws -> [Request] {
    let url = try #require(URL(string: "https://example.org/"))
    let parts = [Multipart.Part.field(text, "a")]
    let files = [Multipart.Part.data("a", Data(), filename: text)]
    return [
      .get(url).query(["q": text]), .get(url).query([text: 1]), .get(url).header("X-A", text),
      .get(url).query(QueryItems(encoded: text)), .post(url).form(["a": text]),
      .post(url).form([text: "a"]), .post(url).json(["a": text]),
      .post(url).body(.data(Data(), as: MediaType(rawValue: "a/b; c=\(text)"))),
      .post(url).multipart(Multipart(parts, boundary: "b")),
      .post(url).multipart(Multipart(files, boundary: "b")),
    ]
  }

  @Test func `requests that send different bytes aren't equal`() throws {
    #expect(Self.one == Self.other)
    #expect(try requests(Self.one) == requests("\u{E9}"))
    for (request, other) in zip(try requests(Self.one), try requests(Self.other)) {
      #expect(request != other)
    }
  }

  @Test func `a query item is found by the bytes of its name`() {
    var query = QueryItems([.init(Self.other, "1"), .init(Self.one, "2")])

    #expect(query[Self.one] == "2" && query[Self.other] == "1")
    query[Self.one] = nil
    #expect(query == QueryItems([.init(Self.other, "1")]))
  }

  @Test func `a default doesn't replace an item whose name has other bytes`() async throws {
    let (one, other) = (Self.one, Self.other)
    let client = Client(baseURL: URL(string: "https://api.example.org")) {
      $0.transport = StubTransport()
      $0.query = [one: 1]
      $0.parameters = [other: 2]
    }

    let query = try await client.dryRun(Resource.void(.get("/").query([other: 3])))
    let form = try await client.dryRun(Resource.void(.post("/").form([one: 3])))

    #expect(query.request?.url.query(percentEncoded: true) == "e%CC%81=3&%C3%A9=1")
    #expect(
      try form.request?.body.map { String(decoding: try $0.data(), as: UTF8.self) }
        == "%C3%A9=3&e%CC%81=2")
  }

  @Test func `the parts of an encoded query end at the bytes of their delimiters`() {
    let query = QueryItems(encoded: "a=\u{301}b&\u{301}c=d")

    #expect(query.items.map(\.name.utf8.count) == [1, 3])
    #expect(query["a"] == "\u{301}b")
  }
}
