import Foundation
import ResourceXML
import TestSupport
import Testing

/// XML errors that are printed on their own show no secrets and no control characters.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct SecretErrorTests {
  private func parsingError(_ document: String) throws -> XMLError {
    try #require(
      #expect(throws: XMLError.self) { try XMLTree(parsing: Data(document.utf8)) })
  }

  @Test(arguments: [
    "<a><password>swordfish</wrong></a>", "<a api-key=\"swordfish\" api-key=\"swordfish\"/>",
    "<a><token>swordfish<", "<a><token>swordfish&none;swordfish</token></a>",
    "<a><token>\(String(repeating: "swordfish ", count: 300))</wrong>",
    "<a><password>swordfish</password>&b;</a>", "<a>Authorization: Bearer swordfish\n&b;</a>",
  ])
  func `the text around an error contains no secret with a known name`(_ document: String) throws {
    let error = try parsingError(document)

    for text in [error.snippet, "\(error)", "\(error.message)"] {
      #expect(!text.contains("fish"), "\(text)")
    }
    #expect(error.snippet.contains("<redacted>"))
  }

  @Test func `the text around an error contains no control characters`() throws {
    let error = try parsingError("<a>\u{85}\u{202E}\u{200F}</b>")

    #expect(!"\(error)".unicodeScalars.contains { [0x85, 0x202E, 0x200F].contains($0.value) })
  }

  struct Login: Decodable {
    struct User: Decodable {
      var password: Int
    }
    var user: User
  }

  @Test(arguments: [
    "<login><user><password>swordfish</password></user></login>",
    "<login><user password=\"swordfish\"/></login>",
  ])
  func `a mismatched value isn't shown if it is a secret`(_ document: String) {
    let error = #expect(throws: DecodingError.self) {
      try XMLDecoder().decode(Login.self, from: Data(document.utf8))
    }

    let text = String(reflecting: error)
    #expect(!text.contains("swordfish") && text.contains("<redacted>"), "\(text)")
  }

  /// A string enum, whose own error quotes the unknown string.
  enum Level: String, Decodable { case low, high }

  struct Account: Decodable {
    var password: Level
  }

  @Test func `an error that a type throws doesn't quote a secret`() throws {
    let body = Data("<account><password>swordfish</password></account>".utf8)

    let error = #expect(throws: DecodingError.self) {
      try XMLDecoder().decode(Account.self, from: body)
    }

    let text = String(reflecting: error)
    #expect(!text.contains("swordfish") && text.contains("<redacted>"), "\(text)")
  }
}
