import Foundation

extension LoadEvent: CustomStringConvertible {
  /// The event in a line for a log: the load's number, the time since its beginning, and what happened. It never
  /// shows a secret.
  ///
  /// ```swift
  /// let client = Client(baseURL: url) { $0.observer = { event in print(event) } }
  /// ```
  public var description: String { "#\(load) +\(elapsed.brief) \(kind)" }
}

extension LoadEvent.Kind: CustomStringConvertible {
  /// What happened, in a few words without secrets.
  public var description: String {
    switch self {
    case .started(let request): "started \(request.method) \(shown(request.url.absoluteString))"
    case .queued: "queued"
    case .sent(let method, let url): "sent \(method) \(shown(url.absoluteString))"
    case .received(let status): "received \(status)"
    case .measured(let metrics): "measured \(metrics)"
    case .completed(let status, let bytes): "completed \(status), \(bytes) bytes"
    case .retrying(let attempt, let pause, let cause):
      "retrying, attempt \(attempt) after \(pause.brief), because: \(SecretText.redact(cause).printable)"
    case .coalesced: "coalesced with a load under way"
    case .refreshingCredential: "waiting for a new credential"
    case .fromCache(let source): "\(source)"
    case .cacheFailed(let error): "the cache \(Self.failure(error))"
    case .parsed: "parsed"
    case .failed(let error): Self.failure(error)
    }
  }

  private func shown(_ url: String) -> String { url.redactedURL.printable }

  private static func failure(_ error: any Error) -> String {
    switch error {
    case is CancellationError: "cancelled"
    case let error as LoadError: "failed: \(error.kind): \(error.reason)".printable
    default: "failed: \(SecretText.redact("\(error)"))".printable
    }
  }
}
