import ResourceLoading
import Synchronization

/// A recorder of spans, for example for a collector, a file or another tracing library.
///
/// Only sampled loads are recorded. The load waits for both methods, so they must return soon. They
/// may be called on many threads at once.
public protocol SpanRecorder: Sendable {
  /// Begins a span.
  ///
  /// It is called in the loading task, with its task-local values.
  ///
  /// - Parameter span: The span, with its own identifiers.
  /// - Returns: Identifiers to send instead of the span's own, such as those of another library
  ///   that records it; `nil` to keep its own.
  func begin(_ span: TraceSpan) -> TraceContext?

  /// Ends a span. It is called exactly once for each span that has begun.
  ///
  /// - Parameter span: The span, with its final identifiers.
  func end(_ span: TraceSpan)
}

extension SpanRecorder {
  /// Returns `nil`, so that the span keeps its identifiers.
  public func begin(_ span: TraceSpan) -> TraceContext? { nil }
}

/// A span that hasn't ended yet.
final class LiveSpan: Sendable {
  private let recorders: [any SpanRecorder]
  private let dates: SpanClock.Dates
  private let span: Mutex<TraceSpan?>
  /// The position that is sent to servers.
  let context: TraceContext

  init(_ span: consuming TraceSpan, to recorders: [any SpanRecorder], _ dates: SpanClock.Dates) {
    for recorder in recorders {
      if let context = recorder.begin(span) { span.context = context }
    }
    self.recorders = recorders
    self.dates = dates
    context = span.context
    self.span = Mutex(span)
  }

  /// Changes the span, unless it has ended.
  func note(_ change: (inout TraceSpan) -> Void) {
    span.withLock { span in
      guard var changed = span.take() else { return }
      change(&changed)
      span = changed
    }
  }

  /// Ends the span, unless it has ended.
  func end(_ change: (inout TraceSpan) -> Void) {
    guard var span = span.withLock({ $0.take() }) else { return }
    change(&span)
    span.end = dates.now
    for recorder in recorders { recorder.end(span) }
  }
}

extension LiveSpan: ExchangeFollower {
  func measured(_ metrics: ExchangeMetrics) {
    note { span in
      if let version = metrics.httpVersion, version.hasPrefix("HTTP/") {
        span.facts.httpVersion = String(version.dropFirst(5))
      }
      span.facts.peer = metrics.peer
    }
  }

  func received(_ head: ResponseHead) { note { $0.facts.status = head.status } }

  func ended(_ outcome: Result<ResponseHead, any Error>) {
    end { span in
      switch outcome {
      case .success(let head): span.facts.status = head.status
      case .failure(let error): span.facts.failure = .init(exchange: error)
      }
    }
  }
}
