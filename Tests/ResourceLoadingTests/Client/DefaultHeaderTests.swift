import Foundation
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

@Suite(.inTurn, .timeLimit(.minutes(10)))
struct DefaultHeaderTests {
  /// The received `Content-Type` of a request, from a client whose default is JSON.
  private func contentType(of request: Request) async throws -> String? {
    let transport = StubTransport()
    transport.stub("*", .status(200))
    let client = Client(baseURL: URL(string: "https://api.example.org")) {
      $0.transport = transport
      $0.headers = [.contentType: "application/json"]
    }
    try await client.load(.void(request))
    return transport.requests.first?.headers[.contentType]
  }

  @Test func `a body's own type beats the client's default`() async throws {
    let multipart = Multipart([.field("a", "b")])

    #expect(
      try await contentType(of: .post("/").multipart(multipart)) == multipart.mediaType.rawValue)
    #expect(try await contentType(of: .post("/").form(["a": 1])) == MediaType.form.rawValue)
    #expect(
      try await contentType(of: .post("/").body(.text("a"))) == MediaType.text.rawValue)
    #expect(
      try await contentType(of: .post("/").body(.data(Data([1]), as: "image/png"))) == "image/png")
  }

  @Test func `the default type is sent only with a body that has no type`() async throws {
    #expect(
      try await contentType(of: .post("/").body(.data(Data("{}".utf8)))) == "application/json")
    #expect(try await contentType(of: .get("/")) == nil)
    #expect(try await contentType(of: .delete("/")) == nil)
  }

  @Test func `the request's own header beats both`() async throws {
    let request = Request.post("/").form(["a": 1]).header(.contentType, "text/x-form")

    #expect(try await contentType(of: request) == "text/x-form")
  }
}
