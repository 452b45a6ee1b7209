public import Foundation
import PromiseModule
import ResourcePrimitives
import Synchronization

/// Sends a bearer token with every request (RFC 6750), and renews it when the server refuses it.
///
/// If several requests get a 401 at the same time, one renewal runs. All of them wait for it and
/// are sent again with the new token. A request that got its 401 with an older token than the
/// current one is sent again at once. Each waiting load can be cancelled without affecting the
/// others or the renewal. If the renewal fails, all waiting loads fail for the same reason. Later
/// loads then fail without being sent until ``signIn(_:)`` provides a new token. But if the renewal
/// was cancelled, or failed because of the network or a server error, the next load tries it again.
///
/// ```swift
/// let authentication = BearerAuthentication(token: stored) { expired, loader in
///   let grant = try await loader.load(.renewal(of: expired))
///   return BearerToken(grant.token, expiration: grant.expiration)
/// }
/// let client = Client(baseURL: url) { $0.middleware = [RetryMiddleware(), authentication] }
/// ```
///
/// Requests that already have an `Authorization` keep it. Requests to another origin than that of
/// the client's base URL get none.
public final class BearerAuthentication: PredictableMiddleware {
  /// Renews a token.
  ///
  /// - Parameters:
  ///   - expired: The token that is no longer valid; `nil` if there was none.
  ///   - loader: The client without its middleware, so that the renewal doesn't wait for limits or
  ///     authentication.
  /// - Returns: The new token.
  /// - Throws: Any error if there is no new token.
  public typealias Renewal =
    @Sendable (_ expired: BearerToken?, _ loader: any Loader) async throws -> BearerToken

  private let renewal: Renewal?
  private let state: Mutex<Credentials>

  /// Whether the current task renews a token. Its loads aren't authenticated, because they would
  /// wait for themselves.
  @TaskLocal private static var isRenewing = false

  /// Creates a middleware that authenticates.
  ///
  /// - Parameters:
  ///   - token: The first token. Without one, the first request starts a renewal, or is sent
  ///     without a token if there is no renewal.
  ///   - renewal: Gets a new token; `nil` if a 401 is final. Cancelling a waiting load doesn't
  ///     cancel it, because a token may be valid for only one renewal.
  public init(token: BearerToken? = nil, renewal: Renewal? = nil) {
    self.renewal = renewal
    state = Mutex(Credentials(token, canRenew: renewal != nil))
  }

  /// Creates a middleware that authenticates with the text of a token.
  ///
  /// - Parameters:
  ///   - token: The text of the first token, as for ``BearerToken/init(_:expiration:)``.
  ///   - renewal: Gets a new token; `nil` if a 401 is final.
  @_disfavoredOverload
  public convenience init(token: String?, renewal: Renewal? = nil) {
    self.init(token: token.map { BearerToken($0) }, renewal: renewal)
  }

  /// The current token; `nil` if there is none.
  public var token: BearerToken? { state.withLock { $0.token } }

  /// Uses a new token from now on, even after a failed renewal.
  ///
  /// - Parameter token: The token.
  public func signIn(_ token: BearerToken) {
    settle(state.withLock { $0.signIn(token) }, .success(token))
  }

  /// Forgets the token. Requests are then sent without one, and nothing is renewed. Loads that wait
  /// for a renewal fail, and its result is ignored. An earlier request isn't sent again with a
  /// later token.
  public func signOut() {
    let reason = LoadError(
      .authentication, "the user signed out", advice: "Give a token to signIn(_:)")
    settle(state.withLock { $0.signOut() }, .failure(reason))
  }

  /// Adds the token and passes on the request; renews the token if necessary.
  ///
  /// - Throws: `LoadError` of kind `authentication` if there is no valid token, `CancellationError`
  ///   if the load has ended, or what the next middleware throws.
  public func respond(to request: Request, next: Next) async throws -> Response {
    guard next.isForCredentials(request), !Self.isRenewing else { return try await next(request) }
    // A renewal would outlive the load.
    try next.context.checkEnd()
    let first = try await carryOut(state.withLock { $0.begin(at: next.date) }, next)
    let response = try await next(request.bearing(first.token))
    guard response.status == .unauthorized, response.asksForNewToken,
      response.isFromOrigin(of: request)
    else { return response }
    guard let step = state.withLock({ $0.refused(first.version) }) else { return response }
    return try await next(request.bearing(carryOut(step, next).token))
  }

  /// Returns the request with the current token, even if the token is about to be renewed.
  public func credentialed(_ request: Request, next: Next) -> Request {
    guard next.isForCredentials(request), !Self.isRenewing else { return request }
    return (try? request.bearing(token)) ?? request
  }
}

extension BearerAuthentication {
  /// Returns a number that grows with each ``signOut()``.
  public func generation(of request: Request) -> Int { state.withLock(\.lastSignOut) }

  /// Returns the credential for a step, at once or after a renewal.
  private func carryOut(
    _ step: Credentials.Step, _ next: Next
  ) async throws -> Credentials.Versioned {
    switch step {
    case .send(let credential): return credential
    case .fail(let error): throw error
    case .wait(let promise): return try await wait(for: promise, next)
    case .renew(let expired, let version, let renewing):
      start(expired, version, loader: next.bypass)
      return try await wait(for: renewing, next)
    }
  }

  /// Waits for a renewal, as other loads may, too.
  private func wait(
    for promise: Promise<Credentials.Versioned>, _ next: Next
  ) async throws -> Credentials.Versioned {
    next.report(.refreshingCredential)
    return try await promise.get()
  }

  /// Renews the token in a separate task, which no waiting load can cancel.
  private func start(_ expired: BearerToken?, _ version: Int, loader: some Loader) {
    Task(executorPreference: SimulatedExecution.executor) { [self] in
      let result: Result<BearerToken, any Error>
      do {
        result = .success(
          try await Self.$isRenewing.withValue(true) {
            guard let renewal else { throw CancellationError() }
            return try await renewal(expired, loader)
          })
      } catch {
        result = .failure(LoadError(renewal: error))
      }
      settle(state.withLock { $0.finish(version, result) }, result)
    }
  }

  private func settle(
    _ waiting: Credentials.Waiting?, _ result: Result<BearerToken, any Error>
  ) {
    waiting?.resolver.resolve(result.map { .init(token: $0, version: waiting?.version ?? 0) })
  }
}

extension LoadError {
  /// Creates the error for a failed renewal.
  fileprivate init(renewal error: any Error) {
    let cause = error as? LoadError ?? LoadError(ofURLSession: error)
    let reason = error is CancellationError ? "it was cancelled" : cause?.reason ?? "\(error)"
    self.init(
      .authentication, "the token couldn't be renewed: \(reason)", underlying: cause ?? error)
    advice =
      isPassingRenewalFailure
      ? "Load again later: the next load renews the token"
      : "Sign in again and give the new token to signIn(_:)"
    serverMessage = cause?.serverMessage
  }
}

extension Request {
  fileprivate func bearing(_ token: BearerToken?) throws -> Request {
    guard let token else { return self }
    var request = self
    request.headers[.authorization] = try token.credential
    return request
  }
}

extension Response {
  /// Whether a new token may help. It doesn't if the request was invalid or the token lacks
  /// permission (RFC 6750 section 3.1).
  fileprivate var asksForNewToken: Bool {
    let challenge = headers[.wwwAuthenticate] ?? ""
    return !challenge.includes("\"insufficient_scope\"")
      && !challenge.includes("\"invalid_request\"")
  }

  /// Whether it comes from the origin that got the token, and no redirect led to another one.
  fileprivate func isFromOrigin(of request: Request) -> Bool {
    url.isSameOrigin(as: details.requested ?? request.url)
  }
}

/// A token that grants access to its bearer (RFC 6750).
public struct BearerToken: Sendable, Hashable {
  /// The token as it is sent, without `Bearer`.
  public var value: String

  /// The date at which it expires; `nil` if that isn't known. It is renewed ten seconds earlier.
  public var expiration: Date?

  /// Creates a token.
  ///
  /// - Parameters:
  ///   - value: The token as it is sent. Loads fail with one that has spaces, line breaks or
  ///     characters outside of ASCII.
  ///   - expiration: The date at which it expires.
  public init(_ value: String, expiration: Date? = nil) {
    self.value = value
    self.expiration = expiration
  }
}

extension BearerToken: ExpressibleByStringLiteral {
  /// Creates a token without a known expiration.
  public init(stringLiteral value: String) { self.init(value) }
}

extension BearerToken: CustomStringConvertible, CustomDebugStringConvertible {
  /// A text that doesn't show the token.
  public var description: String { "BearerToken(\(Secrets.replacement))" }

  /// The same as ``description``.
  public var debugDescription: String { description }
}

extension BearerToken: CustomReflectable {
  /// A mirror without the token, for `dump` and debuggers.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension BearerToken {
  /// How long before its expiration a token is renewed, to allow for the time to the server.
  static let leeway: TimeInterval = 10  // seconds

  func isGood(at date: Date) -> Bool {
    expiration.map { date < $0.addingTimeInterval(-Self.leeway) } ?? true
  }

  var credential: String {
    get throws {
      guard !value.isEmpty, value.hasOnlyBytes(where: { (0x21...0x7E).contains($0) }) else {
        throw LoadError(
          .invalidRequest,
          "the bearer token is empty, or has a space or a character that isn't ASCII",
          advice: "Give the token alone, without \"Bearer\" and line breaks")
      }
      return "Bearer " + value
    }
  }
}
