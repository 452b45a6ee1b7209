import Foundation
import ResourcePrimitives
import ResourceTesting
import TestSupport
import Testing

@testable import ResourceLoading

/// Digests that follow the body (RFC 9530, section 2), as a server sends them that computes them
/// while it sends.
// On Linux a URLSession ends the process when trailers arrive.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct TrailerDigestTests {
  private static let engines = Engine.allCases.filter {
    $0.makeTransport().deliversInterimResponses
  }
  private static let right =
    "sha-256=:\(Data(SecureHash.sha256("content".utf8)).base64EncodedString()):"
  private static let wrong =
    "sha-256=:\(Data(SecureHash.sha256("else".utf8)).base64EncodedString()):"

  private let folder = TemporaryDirectory()

  private func server(_ field: String, _ value: String) throws -> LoopbackServer {
    try LoopbackServer {
      LoopbackRoute("*") { _ in .chunked(["cont", "ent"], trailers: [field: value]) }
    }
  }

  private func failure<R>(of load: () async throws -> R) async -> LoadError.Kind? {
    do {
      _ = try await load()
      return nil
    } catch {
      return (error as? LoadError)?.kind ?? .middleware
    }
  }

  @Test(arguments: ["Repr-Digest", "Content-Digest"], engines)
  func `a download is compared with it`(_ field: String, _ engine: Engine) async throws {
    for (value, isRight) in [(Self.right, true), (Self.wrong, false)] {
      let server = try server(field, value)
      defer { server.stop() }
      let file = folder.url.appending(path: "\(isRight)")

      let kind = await failure {
        try await Client(engine).download(.get(server.url()), to: file)
      }

      #expect(kind == (isRight ? nil : .digest))
      #expect((try? Data(contentsOf: file)) == (isRight ? Data("content".utf8) : nil))
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).count == 1)
    }
  }

  @Test(arguments: ["Repr-Digest", "Content-Digest"], engines)
  func `a response in memory is compared with it`(_ field: String, _ engine: Engine) async throws {
    for (value, isRight) in [(Self.right, true), (Self.wrong, false)] {
      let server = try server(field, value)
      defer { server.stop() }
      let client = Client(engine) { $0.middleware = [DigestMiddleware(requiresDigest: true)] }

      let kind = await failure { try await client.load(.data(server.url())) }

      #expect(kind == (isRight ? nil : .digest))
    }
  }
}
