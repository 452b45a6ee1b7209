import Foundation
import PromiseModule
import ResourceLoading
import ResourceTesting
import ResourceTracing
import TestSupport
import Testing

/// Exported spans contain no secrets.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct SecretTests {
  @Test func `no secret reaches the collector or the file`() async throws {
    let collector = try Collector()
    defer { collector.stop() }
    let server = try LoopbackServer {
      LoopbackRoute("GET /hop", .redirect(to: "/end?access_token=Secret-3"))
      LoopbackRoute(
        "*",
        .response(
          status: 403,
          headers: ["Set-Cookie": "session=Secret-4", "Content-Type": "application/json"],
          body: #"{"message": "no Secret-5 here", "token": "Secret-6"}"#))
    }
    defer { server.stop() }
    let file = FileManager.default.temporaryDirectory.appending(path: "spans-\(UUID()).jsonl")
    defer { try? FileManager.default.removeItem(at: file) }
    let (exporter, lines) = (collector.exporter(), try SpanFile(file, service: "test"))
    var base = try #require(URLComponents(url: server.url("/"), resolvingAgainstBaseURL: true))
    (base.user, base.password) = ("Secret-1", "Secret-2")
    let client = Client(baseURL: base.url) {
      $0.tracer = SpanTracer(exporter, lines)
      $0.headers = [.authorization: "Bearer Secret-7", "X-Api-Key": "Secret-8"]
      $0.options.secretNames = ["pet"]
    }
    let requests: [Request] = [
      .get("/hop"), .get("/x?api_key=Secret-9&pet=Secret-10"),
      .get("/x").header(.cookie, "id=Secret-11"),
      Request.post("/x").json(["password": "Secret-12"]),
      // A literal part of the path, and therefore of the template.
      .get("/x;token=Secret-13;v=\(1)"), .get("/x;pet=Secret-14"),
      // Secrets without a name, and behind escapes.
      .get("/keys/Secret-8/\(1)"), .get("/x?u=https%3A%2F%2Fa%2F%3Ftoken%3DSecret-15"),
    ]

    for request in requests {
      await #expect(throws: LoadError.self) { try await client.load(.void(request)) }
    }
    await exporter.flush()
    await lines.flush()

    let exported = try collector.texts + [String(contentsOf: file, encoding: .utf8)]
    #expect(exported.count == 2 && exported.allSatisfy { $0.contains("url.full") })
    #expect(exported.allSatisfy { $0.contains("api_key=<redacted>") })
    for text in exported { #expect(!text.contains("Secret-")) }
  }
}
