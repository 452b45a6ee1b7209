import Foundation

/// Adds the remaining time of the load to each request, so that the server can give up in time.
///
/// ```swift
/// let client = Client(baseURL: url) {
///   $0.middleware = [RetryMiddleware(), DeadlineMiddleware("X-Time-Left")]
/// }
/// ```
///
/// Put it last, so that the time spent in other middleware is subtracted. Loads without a time limit
/// get no header, and neither do requests to other origins than the client's.
public struct DeadlineMiddleware: PredictableMiddleware {
  private let header: Headers.Name
  private let format: Deadline.Format

  /// Creates a middleware that adds a header.
  ///
  /// - Parameters:
  ///   - header: The name of the header.
  ///   - format: The format of its value.
  public init(_ header: Headers.Name, as format: Deadline.Format = .milliseconds) {
    self.header = header
    self.format = format
  }

  /// Adds the header, and passes on the request.
  ///
  /// - Throws: What the next middleware throws.
  public func respond(to request: Request, next: Next) async throws -> Response {
    guard let remaining = next.remainingTime, next.isSameOrigin(request) else {
      return try await next(request)
    }
    return try await next(request.header(header, format.value(of: remaining, at: next.date)))
  }
}
