import Foundation
import ResourceTesting
import TestSupport
import Testing

@testable import ResourceLoading

/// Foreign errors keep their types, and no text of the library shows the secrets in them.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct UnderlyingErrorTests {
  private struct Foreign: Error, LocalizedError, CustomStringConvertible {
    var text = "refused token swordfish-1"
    var description: String { text }
    var errorDescription: String? { text }
    var failureReason: String? { text }
    var recoverySuggestion: String? { text }
  }

  private func request(secret: String = "swordfish-1") throws -> Request {
    Request.get(try #require(URL(string: "https://example.org/")))
      .header(.authorization, "Bearer \(secret)")
  }

  /// All texts of an error without unwrapping it.
  private func texts(_ error: LoadError) -> [String] {
    var dumped = ""
    dump(error, to: &dumped)
    dump(["key": error], to: &dumped)
    let bridged = error as NSError
    return [
      "\(error)", String(reflecting: error), String(describing: [error]),
      String(reflecting: Result<Int, any Error>.failure(error)), error.localizedDescription,
      error.errorDescription ?? "", error.failureReason ?? "", error.recoverySuggestion ?? "",
      error.helpAnchor ?? "", dumped, "\(bridged)", bridged.debugDescription,
      bridged.localizedDescription, bridged.localizedFailureReason ?? "", "\(bridged.userInfo)",
      LoadEvent(load: 1, elapsed: .zero, kind: .failed(error)).description,
      String(reflecting: LoadEvent(load: 1, elapsed: .zero, kind: .failed(error))),
      mirrored(error, depth: 6),
    ]
  }

  /// Everything in the error's mirrors.
  private func mirrored(_ value: Any, depth: Int) -> String {
    guard depth > 0 else { return "" }
    return Mirror(reflecting: value).children
      .map { "\($0.label ?? ""): \($0.value) \(mirrored($0.value, depth: depth - 1))" }
      .joined(separator: "\n")
  }

  @Test func `a foreign error keeps its type, and no text shows its secrets`() async throws {
    let answering = Answering { _, _ in throw Foreign() }
    let client = Client(baseURL: nowhere) { $0.middleware = [answering] }

    let error = try #require(
      await #expect(throws: LoadError.self) { try await client.load(.void(request())) })

    #expect((error.underlying as? Foreign)?.text == "refused token swordfish-1")
    for text in texts(error) { #expect(!text.contains("swordfish"), "\(text)") }
    #expect("\(error)".contains("refused token <redacted>"))
  }

  @Test func `dump shows the known details and the underlying error's type`() {
    var error = LoadError(.middleware, "a reason", underlying: Foreign())
    error.advice = "an advice"
    error.serverMessage = "a message"

    var dumped = ""
    dump(error, to: &dumped)

    for part in ["middleware failed", "a reason", "an advice", "a message", "Foreign"] {
      #expect(dumped.contains(part), "\(dumped)")
    }
    #expect(!dumped.contains("refused"))
  }

  /// An enumeration of strings. Its error contains the unknown string.
  private enum Level: String, Decodable, Sendable { case low, high }

  private struct Account: Decodable, Sendable {
    struct Login: Decodable, Sendable { var password: Level }
    var login: Login
  }

  @Test(arguments: [#"{"login": {"password": "swordfish-1"}}"#])
  func `a value of the wrong type isn't shown if its name is that of a secret`(_ body: String)
    async throws
  {
    let answering = Answering { request, _ in Response(url: request.url, body: Data(body.utf8)) }
    let client = Client(baseURL: nowhere) { $0.middleware = [answering] }

    let error = try #require(
      await #expect(throws: LoadError.self) {
        _ = try await client.load(Resource<Account>(json: .get("/")))
      })

    #expect(error.underlying is DecodingError)
    #expect(error.parsing?.path == "login.password")
    for text in texts(error) { #expect(!text.contains("swordfish"), "\(text)") }
  }
}
