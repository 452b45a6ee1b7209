import ResourcePrimitives

/// Sends a user name and a password with every request (RFC 7617).
///
/// Requests that already have an `Authorization` keep it. Requests to another origin than that of
/// the client's base URL get none. Use it only with https, because the header contains the
/// password.
public struct BasicAuthentication: PredictableMiddleware {
  private let user: String
  private let password: String

  /// Creates a middleware that authenticates.
  ///
  /// - Parameters:
  ///   - user: The user name. Loads fail if it has a colon or a control character.
  ///   - password: The password. Loads fail if it has a control character. Both are sent in UTF-8.
  public init(user: String, password: String) {
    self.user = user
    self.password = password
  }

  /// Adds the credential and passes on the request.
  ///
  /// - Throws: `LoadError` of kind `invalidRequest` if the credential can't be sent; what the next
  ///   middleware throws.
  public func respond(to request: Request, next: Next) async throws -> Response {
    if next.isForCredentials(request) { try check() }
    return try await next(credentialed(request, next: next))
  }

  /// Returns the request with the credential if it should have one.
  public func credentialed(_ request: Request, next: Next) -> Request {
    guard next.isForCredentials(request) else { return request }
    return request.header(
      .authorization, BasicCredential.value(user: user, password: password))
  }

  private func check() throws {
    guard !user.utf8.contains(UInt8(ascii: ":")) else {
      throw LoadError(
        .invalidRequest, "a user name with a colon can't be sent",
        advice: "Use a name without one: Basic authentication ends the name at its first colon")
    }
    guard !(user + password).utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
      throw LoadError(
        .invalidRequest, "the user name or the password has a control character",
        advice: "Remove it; often it is a line break at the end of a file")
    }
  }
}

extension BasicAuthentication: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// A text that shows neither the name nor the password.
  public var description: String { "BasicAuthentication(\(Secrets.replacement))" }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// A mirror without the name and the password, for `dump` and debuggers.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension Next {
  /// Returns whether a middleware should add a credential to a request: the request has none, and
  /// it goes to the origin of the client's base URL, or there is no base URL, and
  /// ``Request/Options/isAuthenticated`` isn't `false`.
  public func isForCredentials(_ request: Request) -> Bool {
    request.options.isAuthenticated != false && request.headers[.authorization] == nil
      && isSameOrigin(request)
  }
}
