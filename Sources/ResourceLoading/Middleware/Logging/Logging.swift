import Foundation

/// Writes a line when a request is sent on, and one when it has ended: with its status, size and time, or with
/// its failure.
///
/// ```swift
/// let client = Client(baseURL: url) { $0.middleware = [Logging(.curl), Retry()] }
/// ```
///
/// ```text
/// #1 → GET https://api.example.org/users/1?key=<redacted>
///   curl -H 'Accept: application/json' 'https://api.example.org/users/1?key=<redacted>'
/// #1 ← 200 OK, 1234 bytes in 87 ms: GET https://api.example.org/users/1?key=<redacted>
/// ```
///
/// Secrets are replaced in all of it: credentials, cookies, user info, and what looks like a secret by its name
/// in queries and bodies. Where it stands decides what it sees: outside of ``Retry`` one pair of lines a load,
/// inside one an attempt; behind authentication the request with its credential.
///
/// For more than lines, see ``Client/Configuration/observer``.
public struct Logging: Middleware {
  private let level: Level
  private let sink: @Sendable (String) -> Void

  /// How much is written.
  public enum Level: Int, Sendable, CaseIterable {
    /// Nothing.
    case off
    /// A line when a request is sent on, and one when it has ended.
    case lines
    /// The lines, and the request as a cURL command.
    case curl
    /// All of that, and how the bodies begin, if they are text.
    case bodies
  }

  /// Makes a middleware that logs.
  ///
  /// - Parameters:
  ///   - level: How much is written.
  ///   - sink: Is given each entry, on any thread: one line or several, without a line break at its end. It must
  ///     return soon. Left out, entries go to the standard error stream.
  public init(
    _ level: Level = .lines, to sink: @escaping @Sendable (String) -> Void = Logging.standardError
  ) {
    self.level = level
    self.sink = sink
  }

  /// Writes an entry to the standard error stream, whole.
  ///
  /// - Parameter entry: The entry, without a line break at its end.
  @Sendable public static func standardError(_ entry: String) {
    // One that nobody reads any more is no reason to fail.
    try? FileHandle.standardError.write(contentsOf: Data((entry + "\n").utf8))
  }

  /// Logs the request, sends it on, and logs what came of it.
  ///
  /// - Throws: What comes behind throws.
  public func respond(to request: Request, next: Next) async throws -> Response {
    guard level != .off, !next.isDryRun else { return try await next(request) }
    let log = LogEntries(request, load: next.context.id, level: level)
    let start = next.context.clock.now()
    sink(log.sent)
    do {
      let response = try await next(request)
      sink(log.answered(response, after: next.context.clock.now() - start))
      return response
    } catch {
      sink(log.failed(error, after: next.context.clock.now() - start))
      throw error
    }
  }
}
