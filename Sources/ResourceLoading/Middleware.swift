/// A stage between a ``Client`` and its transport: it sees every request and every response, and decides
/// what becomes of them.
///
/// Middleware is listed from the outside in: the first one sees the request first and the response last. It
/// may change either, send more than once, wait, or answer by itself.
///
/// ```swift
/// struct Stopwatch: Middleware {
///   func respond(to request: Request, next: Next) async throws -> Response {
///     let start = ContinuousClock.now
///     defer { print(request.url, start.duration(to: .now)) }
///     return try await next(request)
///   }
/// }
/// ```
///
/// A response with any status arrives as a response: which are errors is decided after the outermost
/// middleware. A value is used by many loads at once, so what it keeps has to be `Sendable`.
public protocol Middleware: Sendable {
  /// Answers a request, as a rule by sending it on.
  ///
  /// The calling task is cancelled when the load is: by its caller, by its time limit, or because the client
  /// was closed. Whatever waits here has to end then.
  ///
  /// - Parameters:
  ///   - request: What to send: absolute and complete.
  ///   - next: What comes behind this one. It may be called any number of times.
  /// - Returns: The response, whatever its status.
  /// - Throws: A ``LoadError``, `CancellationError`, or an error of one's own: the load then fails with a
  ///   ``LoadError`` of kind ``LoadError/Kind/middleware`` that holds it.
  func respond(to request: Request, next: Next) async throws -> Response

  /// The request with the credential that it would be sent with now, if this stage adds one; else as it is.
  ///
  /// A cache in front asks for it, so that it keeps apart what belongs to different credentials. A middleware
  /// that adds credentials and doesn't tell is safe too: what is answered to its requests isn't stored.
  ///
  /// - Parameters:
  ///   - request: What may be sent.
  ///   - next: What comes behind this one. Nothing is to be sent.
  func credentialed(_ request: Request, next: Next) -> Request
}

extension Middleware {
  /// The request as it is: this stage adds no credential, or doesn't tell.
  public func credentialed(_ request: Request, next: Next) -> Request { request }
}
