import Foundation

/// The entries that a log has of one request, without secrets.
struct LogEntries {
  private let request: Request
  private let load: UInt64
  private let level: Logging.Level
  private let redactor: Redactor
  private let known: KnownSecrets
  private let target: String

  init(_ request: Request, load: UInt64, level: Logging.Level) {
    self.request = request
    self.load = load
    self.level = level
    redactor = Redactor(request)
    known = redactor.known
    target =
      "\(request.method) \(redactor.redact(url: request.url.absoluteString, known))".printable
  }
}

extension LogEntries {
  /// The request is sent on.
  var sent: String {
    var lines = ["#\(load) → \(target)"]
    if level.rawValue >= Logging.Level.curl.rawValue {
      lines.append("  \(request.curlCommand.printable)")
    }
    if level == .bodies, let body = request.body {
      lines.append("  body: \(Self.beginning(of: body, redactor, known))")
    }
    return lines.joined(separator: "\n")
  }

  /// There is a response.
  func answered(_ response: Response, after duration: Duration) -> String {
    let file = response.file.map { "into \($0.lastPathComponent.printable)" }
    let size = file ?? "\(response.body.count) bytes"
    var lines = ["#\(load) ← \(response.status), \(size) in \(duration.brief): \(target)"]
    if level == .bodies, !response.body.isEmpty {
      var redactor = redactor
      redactor.note(received: response.headers)
      lines.append("  body: \(Self.beginning(of: response.body, redactor, redactor.known))")
    }
    return lines.joined(separator: "\n")
  }

  /// There is none.
  func failed(_ error: any Error, after duration: Duration) -> String {
    let reason = redactor.redact(Self.reason(error), known).printable
    return "#\(load) ✗ \(reason) after \(duration.brief): \(target)"
  }

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
    // A little more than is shown, so that a secret can't hide behind the cut.
    let start = Snippet.start(of: redactor.redact(body.prefix(8192), known))
    return start.isEmpty ? "\(body.count) bytes" : start
  }
}

extension Duration {
  /// A short text for people: `87 ms`, `1.25 s`.
  var brief: String {
    let milliseconds = components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    guard milliseconds >= 1000 else { return "\(milliseconds) ms" }
    let hundredths = milliseconds % 1000 / 10
    return "\(milliseconds / 1000).\(hundredths < 10 ? "0" : "")\(hundredths) s"
  }
}
