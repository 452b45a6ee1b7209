import ResourceLoading
import Synchronization

/// Where spans go: to a collector, into a file, or under those of another library.
///
/// Only loads that are sampled are recorded. Both methods are called on the load's way, so they must return soon, and from
/// many threads at once.
public protocol SpanRecorder: Sendable {
  /// A span begins.
  ///
  /// Called in the task that loads, with its task-local values.
  ///
  /// - Parameter span: The span, with identifiers of its own.
  /// - Returns: Other identifiers for it, which are sent on in place of its own: those of another library that records it.
  ///   `nil` to leave them.
  func begin(_ span: TraceSpan) -> TraceContext?

  /// A span has ended. Called exactly once for each that began.
  ///
  /// - Parameter span: The span, with the identifiers that it got.
  func end(_ span: TraceSpan)
}

extension SpanRecorder {
  /// Leaves the identifiers as they are.
  public func begin(_ span: TraceSpan) -> TraceContext? { nil }
}

/// A span that goes on.
final class LiveSpan: Sendable {
  private let recorders: [any SpanRecorder]
  private let dates: SpanClock.Dates
  private let span: Mutex<TraceSpan?>
  /// What is sent on.
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

  /// Adds to what is known of it, unless it has ended.
  func note(_ change: (inout TraceSpan) -> Void) {
    span.withLock { span in
      guard var changed = span.take() else { return }
      change(&changed)
      span = changed
    }
  }

  /// Ends it, unless it has ended.
  func end(_ change: (inout TraceSpan) -> Void) {
    guard var span = span.withLock({ $0.take() }) else { return }
    change(&span)
    span.end = dates.now
    for recorder in recorders { recorder.end(span) }
  }
}

extension LiveSpan: ExchangeFollower {
  func measured(_ metrics: ExchangeMetrics) {
    guard let version = metrics.httpVersion, version.hasPrefix("HTTP/") else { return }
    note { $0.facts.httpVersion = String(version.dropFirst(5)) }
  }

  func ended(_ outcome: Result<ResponseHead, any Error>) {
    end { span in
      switch outcome {
      case .success(let head): span.facts.status = head.status
      case .failure(let error): span.facts.failure = .init(exchange: error)
      }
    }
  }
}
