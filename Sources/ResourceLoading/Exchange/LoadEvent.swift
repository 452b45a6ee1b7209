public import Foundation
import ResourcePrimitives

/// Something that happened to one load of a ``Client``, for logs and metrics.
///
/// The events of one load come in order, from any thread. The events of different loads are
/// interleaved.
public struct LoadEvent: Sendable {
  /// The number of the load within its client, from 1.
  public var load: UInt64

  /// The time since the load's beginning, by the client's clock.
  public var elapsed: Duration

  /// The kind of the event.
  public var kind: Kind

  /// The trace that the load is a part of; `nil` without tracing, and before the load reaches the
  /// tracing middleware.
  public var trace: Trace?

  /// ``Request/Options/secretNames`` of the load's request.
  package var secretNames: Set<String>?

  /// The number of the load that began the exchange in which this one shares; `nil` for none.
  package var sharedLoad: UInt64?
}

extension LoadEvent {
  /// The kinds of events. More may be added: a `switch` needs an `@unknown default`.
  @nonexhaustive public enum Kind: Sendable {
    /// The load began. The request is complete: it has the base URL, default headers and default
    /// query.
    // Indirect, as `measured(_:)` is, because these are by far the largest.
    indirect case started(Request)
    /// The load waits because of a limit of the client.
    case queued
    /// A request goes to the transport: the first one, that of a redirect, or that of a retry.
    case sent(method: Request.Method, url: URL)
    /// The head of a response arrived, with this status.
    case received(Status)
    /// An exchange ends, with these measurements.
    indirect case measured(ExchangeMetrics)
    /// A response is complete, with this many decoded bytes.
    case completed(Status, bytes: Int)
    /// The request will be sent again after a delay; `attempt` is the number of the next attempt,
    /// from 2.
    case retrying(attempt: Int, after: Duration, because: String)
    /// The response is late, and a ``HedgingMiddleware`` sends a second request.
    case hedged(after: Duration)
    /// The load shares the response of another running load.
    case coalesced
    /// The load waits for a new credential.
    case refreshingCredential
    /// The response comes from a cache.
    case fromCache(Response.Source)
    /// A cache couldn't read or write its storage. The load continues as if nothing were stored.
    case cacheFailed(any Error)
    /// A ``CircuitBreakerMiddleware`` changed the circuit of a host.
    case circuit(CircuitState, host: String)
    /// The value was parsed, and the load succeeded.
    case parsed
    /// The load failed or was cancelled.
    case failed(any Error)
  }
}

extension LoadEvent {
  /// The state of a circuit breaker.
  public enum CircuitState: String, Sendable {
    /// Requests are sent.
    case closed
    /// Requests fail at once.
    case open
    /// One request is sent as a probe.
    case halfOpen = "half open"
  }
}

extension LoadEvent: CustomStringConvertible {
  /// The event in a line for a log: the load's number, the time since its beginning, what happened,
  /// and the trace if there is one. It never shows a secret.
  ///
  /// ```swift
  /// let client = Client(baseURL: url) { $0.observer = { event in print(event) } }
  /// ```
  public var description: String {
    "#\(load) +\(elapsed.brief) \(kind.description(secretNames: secretNames))"
      + (trace.map { " \($0)" } ?? "")
  }
}

extension LoadEvent: CustomReflectable {
  /// Shows the event without secrets, as ``description`` does.
  public var customMirror: Mirror { Mirror(self, children: ["event": description]) }
}

extension LoadEvent.Kind: CustomReflectable {
  /// Shows the event without secrets, as ``description`` does.
  public var customMirror: Mirror { Mirror(self, children: ["event": description]) }
}

extension LoadEvent.Kind: CustomStringConvertible {
  /// The event in a few words without secrets. The names that
  /// ``Request/Options/secretNames`` adds are known to a ``LoadEvent``, and of the kinds only to
  /// ``started(_:)``.
  public var description: String { description(secretNames: nil) }

  package func description(secretNames names: Set<String>?) -> String {
    switch self {
    case .started(let request): "started \(request)"
    case .queued: "queued"
    case .sent(let method, let url):
      "sent \(method) \(url.absoluteString.redactedURL(secretNames: names).printable)"
    case .received(let status): "received \(status)"
    case .measured(let metrics): "measured \(metrics)"
    case .completed(let status, let bytes): "completed \(status), \(bytes) bytes"
    case .retrying(let attempt, let pause, let cause):
      "retrying, attempt \(attempt) after \(pause.brief), because: \(SecretText.redact(cause, names: names).printable)"
    case .hedged(let delay): "sending a second request after \(delay.brief)"
    case .coalesced: "coalesced with a running load"
    case .refreshingCredential: "waiting for a new credential"
    case .fromCache(let source): "\(source)"
    case .cacheFailed(let error): "the cache \(Self.failure(error, names))"
    case .circuit(let state, let host): "circuit of \(host.printable) \(state.rawValue)"
    case .parsed: "parsed"
    case .failed(let error): Self.failure(error, names)
    }
  }

  private static func failure(_ error: any Error, _ names: Set<String>?) -> String {
    switch error {
    case is CancellationError: "cancelled"
    case let error as LoadError:
      "failed: \(SecretText.redact("\(error.kind): \(error.reason)", names: names))".printable
    default: "failed: \(SecretText.redact("\(error)", names: names))".printable
    }
  }
}

// MARK: - Traces

extension LoadEvent {
  /// The trace that a load is a part of. It connects the log with the trace (W3C Trace Context).
  public struct Trace: Sendable, Hashable {
    package let high: UInt64
    package let low: UInt64
    package let span: UInt64

    package init(high: UInt64, low: UInt64, span: UInt64) {
      self.high = high
      self.low = low
      self.span = span
    }

    /// The identifier of the trace, 32 hexadecimal digits.
    public var traceID: String { high.hexadecimal + low.hexadecimal }

    /// The identifier of the load's span in it, 16 hexadecimal digits.
    public var spanID: String { span.hexadecimal }
  }
}

extension LoadEvent.Trace: CustomStringConvertible {
  /// The identifiers as a log has them, `trace=4bf92f3577b34da6a3ce929d0e0e4736
  /// span=00f067aa0ba902b7`.
  public var description: String { "trace=\(traceID) span=\(spanID)" }
}

extension UInt64 {
  fileprivate var hexadecimal: String {
    let digits = String(self, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }
}
