import Foundation
import ResourcePrimitives

/// Writes a line when a request is passed on, and another when it has ended, with its status, size
/// and time, or with its failure.
///
/// ```swift
/// let client = Client(baseURL: url) {
///   $0.middleware = [LoggingMiddleware(.curl), RetryMiddleware()]
/// }
/// ```
///
/// ```text
/// #1 → GET https://api.example.org/users/1?key=<redacted>
///   curl -H 'Accept: application/json' 'https://api.example.org/users/1?key=<redacted>'
/// #1 ← 200 OK, 1234 bytes in 87 ms: GET https://api.example.org/users/1?key=<redacted>
/// ```
///
/// Secrets are replaced everywhere: credentials, cookies, user info, and values with the names of
/// secrets in queries and bodies. After a tracing middleware, each line ends with the trace's
/// identifiers, as in ``LoadEvent/Trace``. The position in the list determines what is logged:
/// before ``RetryMiddleware`` one pair of lines for each load, after it one for each attempt, and
/// after authentication the request with its credential.
///
/// For more detail, see ``Client/Configuration/observer``.
public struct LoggingMiddleware: PredictableMiddleware {
  private let level: Level
  private let sink: @Sendable (String) -> Void

  /// The detail of a log.
  public enum Level: Int, Sendable, CaseIterable {
    /// No entries.
    case off
    /// A line when a request is passed on, and another when it has ended.
    case lines
    /// The same lines, and the request as a cURL command.
    case curl
    /// All of the above, and the beginnings of bodies that are text.
    case bodies
  }

  /// Creates a logging middleware.
  ///
  /// - Parameters:
  ///   - level: The detail of the log.
  ///   - sink: Receives each entry, of one or more lines, without a line break at its end. It is
  ///     called on any thread and must return soon. By default entries are written to the standard
  ///     error stream.
  public init(
    _ level: Level = .lines,
    to sink: @escaping @Sendable (String) -> Void = LoggingMiddleware.standardError
  ) {
    self.level = level
    self.sink = sink
  }

  /// Writes a whole entry to the standard error stream.
  ///
  /// - Parameter entry: The entry, without a line break at its end.
  @Sendable public static func standardError(_ entry: String) {
    // A closed standard error stream isn't a failure.
    systemWriteAll(entry + "\n", to: 2)
  }

  /// Logs the request, passes it on, and logs the outcome.
  ///
  /// - Throws: What the next middleware throws.
  public func respond(to request: Request, next: Next) async throws -> Response {
    guard level != .off else { return try await next(request) }
    let log = LogEntries(request, of: next.context, level: level)
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

/// The log entries of one request, without secrets.
struct LogEntries {
  private let request: Request
  private let context: LoadContext
  private let load: UInt64
  private let trace: LoadEvent.Trace?
  private let level: LoggingMiddleware.Level
  private let redactor: Redactor
  private let known: KnownSecrets
  private let target: String

  init(_ request: Request, of context: LoadContext, level: LoggingMiddleware.Level) {
    self.request = request
    self.context = context
    load = context.identity.id
    trace = context.trace
    self.level = level
    redactor = Redactor(request)
    known = redactor.known
    target =
      "\(request.method) \(redactor.redact(url: request.url.absoluteString, known))".printable
  }
}

extension LogEntries {
  var sent: String {
    var lines = ["#\(load) → \(target)" + suffix]
    if level.rawValue >= LoggingMiddleware.Level.curl.rawValue {
      lines.append("  \(request.curlCommand.printable)")
    }
    if level == .bodies, let body = request.body {
      lines.append("  body: \(Self.beginning(of: body, redactor, known))")
    }
    return lines.joined(separator: "\n")
  }

  func answered(_ response: Response, after duration: Duration) -> String {
    let file = response.file.map { "into \($0.lastPathComponent.printable)" }
    let size = file ?? "\(response.body.count) bytes"
    var lines = ["#\(load) ← \(response.status), \(size) in \(duration.brief): \(target)" + suffix]
    if level == .bodies, !response.body.isEmpty {
      var redactor = redactorAfterSending
      redactor.note(received: response.headers)
      lines.append("  body: \(Self.beginning(of: response.body, redactor, redactor.known))")
    }
    return lines.joined(separator: "\n")
  }

  func failed(_ error: any Error, after duration: Duration) -> String {
    let redactor = redactorAfterSending
    let reason = redactor.redact(Self.reason(error), redactor.known).printable
    return "#\(load) ✗ \(reason) after \(duration.brief): \(target)" + suffix
  }

  /// Knows the secrets of bodies as well, and those that stages further in have added.
  private var redactorAfterSending: Redactor {
    var redactor = redactor
    context.noteSecrets(in: &redactor)
    return redactor
  }

  /// The end of a line: the trace, if there is one.
  private var suffix: String { trace.map { " \($0)" } ?? "" }

  private static func reason(_ error: any Error) -> String {
    switch error {
    case is CancellationError: "cancelled"
    case let error as LoadError: "\(error.kind): \(error.reason)"
    default: "\(error)"
    }
  }
}

extension LogEntries {
  private static func beginning(
    of body: Request.Body, _ redactor: Redactor, _ known: KnownSecrets
  ) -> String {
    guard let ready = try? body.wireBody(encoder: JSONEncoder()) else { return "can't be encoded" }
    guard case .data(let data) = ready.segments.first else { return "\(ready.length) bytes" }
    return beginning(of: data, redactor, known)
  }

  private static func beginning(
    of body: Data, _ redactor: Redactor, _ known: KnownSecrets
  ) -> String {
    // A little more than is shown, so that a secret at the cut is recognised.
    let start = Snippet.start(of: redactor.redact(body.prefix(8192), known))
    return start.isEmpty ? "\(body.count) bytes" : start
  }
}

extension Duration {
  /// A short text such as `87 ms` or `1.25 s`.
  var brief: String {
    let (seconds, attoseconds) = countable.components
    let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
    guard milliseconds >= 1000 else { return "\(milliseconds) ms" }
    let hundredths = milliseconds % 1000 / 10
    return "\(milliseconds / 1000).\(hundredths < 10 ? "0" : "")\(hundredths) s"
  }
}
