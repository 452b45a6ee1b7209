public import Foundation

/// A token that whoever has it may use (RFC 6750).
public struct BearerToken: Sendable, Hashable {
  /// The token as it is sent, without `Bearer`.
  public var value: String

  /// When it ceases to be good; `nil` if that isn't known. It is renewed some seconds before.
  public var expiration: Date?

  /// Makes a token.
  ///
  /// - Parameters:
  ///   - value: The token as it is sent. One with spaces, line breaks or what isn't ASCII is refused when
  ///     something is loaded.
  ///   - expiration: When it ceases to be good.
  public init(_ value: String, expiration: Date? = nil) {
    self.value = value
    self.expiration = expiration
  }
}

extension BearerToken: ExpressibleByStringLiteral {
  /// A token that isn't known to expire.
  public init(stringLiteral value: String) { self.init(value) }
}

extension BearerToken: CustomStringConvertible, CustomDebugStringConvertible {
  /// Says that there is a token, and not which.
  public var description: String { "BearerToken(\(Secrets.replacement))" }

  /// The same as ``description``.
  public var debugDescription: String { description }
}

extension BearerToken: CustomReflectable {
  /// Shows nothing of the token to `dump` and debuggers.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension BearerToken {
  /// Renewed this much before it expires, for the way to the server.
  static let leeway: TimeInterval = 10  // seconds

  func isGood(at date: Date) -> Bool {
    expiration.map { date < $0.addingTimeInterval(-Self.leeway) } ?? true
  }

  /// The value of `Authorization`.
  ///
  /// - Throws: `LoadError` of kind `invalidRequest` if the token can't be sent.
  var credential: String {
    get throws {
      guard !value.isEmpty, value.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
        throw LoadError(
          .invalidRequest,
          "the bearer token is empty, or has a space or a character that isn't ASCII",
          advice: "Give the token alone, without \"Bearer\" and line breaks")
      }
      return "Bearer " + value
    }
  }
}
