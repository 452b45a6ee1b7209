import Foundation
import ResourceInspector
import ResourceLoading
import ResourceTesting

/// Ten loads with six secrets each, which the server repeats in its error, and objects with nine.
struct PlantedProgram {
  let inspector = Inspector(patience: .seconds(600))
  let secrets = (0..<69).map { "planted\($0)Qx7vR2mK9tZ4" }
  private let server: LoopbackServer

  init() throws {
    server = try LoopbackServer {
      LoopbackRoute("POST /orders/*") { request in
        let text = "refused because of \(Self.text(of: request))"
        // Half of them aren't accepted, and the other half can't be parsed.
        let isAccepted = request.path.last.map("02468".contains) ?? false
        return try .json(encoding: ["message": text], status: isAccepted ? 200 : 400)
      }
    }
  }

  private static func text(of request: ReceivedRequest) -> String {
    let body = String(decoding: request.body, as: UTF8.self)
    return "\(request.target) \(request.headers.map(\.value)) \(body)"
  }

  /// Those that the server has seen, so that the test would find one that isn't hidden.
  var receivedSecrets: Set<String> {
    let received = server.requests.map(Self.text).joined()
    return Set(secrets.filter(received.contains))
  }

  /// The objects are shown while they are kept.
  func run() async throws -> ShownObjects {
    let client = Client(baseURL: server.url("/")) { $0.inspect(with: inspector, as: "shop") }
    for load in 0..<10 {
      let six = Array(secrets[load * 6..<load * 6 + 6])
      let request = Request.post("/orders/\(load)")
        .query(["access_token": six[0], "client_secret": six[1]])
        .header(.authorization, "Bearer \(six[2])").header("X-Api-Key", six[3])
        .header(.cookie, "session=\(six[4])")
      let whole =
        load.isMultiple(of: 2)
        ? request.json(["user": "ada", "password": six[5]])
        : request.form(["user": "ada", "password": six[5]])
      _ = try? await client.load(.json(whole, as: Int.self))
    }
    client.close()
    server.stop()
    return try await ShownObjects(in: inspector, Array(secrets[60...]))
  }
}
