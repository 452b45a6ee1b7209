import Foundation
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

@Suite(.inTurn, .timeLimit(.minutes(10)))
struct LogLineTests {
  @Test(
    arguments: [
      (
        .json(#"{"message": "No\nsuch user"}"#, status: 404),
        #"unaccepted status: the server answered 404 Not Found (No\nsuch user) [example.org/users/x]"#
      ),
      (.json("{}"), "parsing failed: the key \"login\" is missing, at login [example.org/users/x]"),
      (
        .response(body: Data("<html>".utf8)),
        "parsing failed: the body is markup, not JSON [example.org/users/x]"
      ),
      (.json(#"{"message": "\#(String(repeating: "a ", count: 5_000))"}"#, status: 500), nil),
    ] as [(StubAnswer, String?)])
  func `localizedDescription is one line, and description has the details`(
    _ answer: StubAnswer, _ line: String?
  ) async throws {
    struct User: Decodable, Sendable { var login: String }
    let loader = StubLoader()
    loader.stub("*", answer)

    let error = await #expect(throws: LoadError.self) {
      _ = try await loader.load(Resource<User>(json: .get("https://example.org/users/x")))
    }

    let text = try #require(error as (any Error)?).localizedDescription
    #expect(!text.contains("\n") && text.count < 600)
    if let line { #expect(text == line) }
    #expect(error?.description.contains("\n  request: curl") == true)
  }

  @Test func `localizedDescription has the host and path, and no secrets`() async throws {
    let transport = StubTransport()
    transport.stub("*", .status(.notFound))
    let client = Client(baseURL: "https://mona:pass@api.example.org:8443/v1?key=hidden") {
      $0.transport = transport
    }

    let error = await #expect(throws: LoadError.self) {
      try await client.load(.void(Request.get("/users/1").query(["token": "t0ken"])))
    }

    #expect(
      (error as (any Error)?)?.localizedDescription
        == "unaccepted status: the server answered 404 Not Found [api.example.org:8443/v1/users/1]")
  }
}
