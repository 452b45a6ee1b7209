import Foundation
import PromiseModule
import ResourceCache
import ResourceInspector
import ResourceLoading
import ResourceTesting

/// A program of loads with faults, which an inspector sees.
struct RecordedProgram {
  let inspector = Inspector(patience: .seconds(600))
  private let server: LoopbackServer
  /// Opens when a load shares another one.
  private let shared: Gate

  struct Item: Decodable, Sendable { var number: Int }

  init() throws {
    let shared = Gate()
    self.shared = shared
    server = try LoopbackServer {
      LoopbackRoute("GET /items/1", .json(#"{"number": 1}"#))
      LoopbackRoute("GET /moved", .redirect(to: "/items/1"))
      LoopbackRoute("GET /flaky", .status(503), .json(#"{"number": 2}"#))
      LoopbackRoute("GET /missing", .status(404))
      LoopbackRoute("GET /broken", .json(#"{"number": "<img src=x onerror=alert(1)>"}"#))
      LoopbackRoute(
        "GET /kept",
        .response(
          headers: ["Cache-Control": "max-age=60", "Content-Type": "application/json"],
          body: #"{"number": 3}"#))
      LoopbackRoute(
        "GET /cut", [.bytes("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n1234"), .close])
      LoopbackRoute("GET /slow", [.wait(shared), .json(#"{"number": 4}"#)])
    }
  }

  var port: Int { server.port }

  /// The objects are shown while they are kept.
  func run() async throws -> ShownObjects {
    let client = Client(baseURL: server.url("/")) {
      $0.middleware = [
        HTTPCache(.memory()), CoalescingMiddleware(),
        RetryMiddleware(RetryPolicy(maximumAttempts: 2, backoff: .none)),
      ]
      $0.headers[.authorization] = "Bearer planted-credential-1234567890"
      $0.observer = { [shared] event in if case .coalesced = event.kind { shared.open() } }
      $0.inspect(with: inspector, as: "shop")
    }
    for path in ["items/1", "moved", "flaky", "kept", "kept"] as [RequestPath] {
      _ = try await client.load(.json(.get(path), as: Item.self))
    }
    for path in ["missing", "broken", "cut"] as [RequestPath] {
      _ = try? await client.load(.json(.get(path), as: Item.self))
    }
    async let one = client.load(.json(.get("slow"), as: Item.self))
    async let other = client.load(.json(.get("slow"), as: Item.self))
    _ = try await (one, other)
    client.close()
    server.stop()
    return try await ShownObjects(in: inspector, (0..<9).map { "planted-credential-\($0)" })
  }
}
