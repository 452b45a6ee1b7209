/// The state machine of an export: spans wait in a queue of limited length and are exported in
/// batches, one at a time. Each event returns what to do next.
struct ExportQueue: Sendable {
  /// The limits of a queue.
  struct Limits: Sendable {
    /// The most spans that wait; further ones are dropped.
    var capacity = 2048
    /// The most spans of a batch.
    var batch = 512
  }

  /// The next action.
  enum Action: Sendable {
    case nothing
    /// Wait for more spans, and then call `timerFired()`.
    case wait
    /// Export this batch, and then call `finish(_:rejected:)`.
    case export([TraceSpan])
  }

  private let limits: Limits
  private var waiting: [TraceSpan] = []
  private var isExporting = false
  private var hasTimer = false
  private var isShutDown = false
  /// The number of spans that were taken so far, and of those that have left again.
  private(set) var taken = 0
  private(set) var settled = 0
  /// The counts by outcome.
  private(set) var counts = ExportCounts()

  init(_ limits: Limits) { self.limits = limits }
}

extension ExportQueue {
  /// Adds a span.
  mutating func add(_ span: TraceSpan) -> Action {
    guard !isShutDown, waiting.count < limits.capacity else {
      counts.dropped += 1
      return .nothing
    }
    waiting.append(span)
    taken += 1
    return next()
  }

  /// Ends the wait for more spans.
  mutating func timerFired() -> Action {
    hasTimer = false
    return isExporting ? .nothing : takeBatch()
  }

  /// Ends a batch, which was exported or given up.
  ///
  /// - Parameters:
  ///   - count: The number of its spans.
  ///   - rejected: The number of spans that weren't accepted.
  ///   - untilTaken: The number of spans, counted from the first, for which a flush waits.
  mutating func finish(_ count: Int, rejected: Int, untilTaken: Int) -> Action {
    isExporting = false
    settled += count
    counts.rejected += min(rejected, count)
    counts.exported += count - min(rejected, count)
    return settled < untilTaken ? takeBatch() : next()
  }

  /// Exports the waiting spans without waiting for more.
  mutating func flush() -> Action { isExporting ? .nothing : takeBatch() }

  /// Takes no more spans.
  mutating func shutDown() { isShutDown = true }

  private mutating func next() -> Action {
    guard !isExporting, !waiting.isEmpty else { return .nothing }
    if waiting.count >= limits.batch { return takeBatch() }
    guard !hasTimer else { return .nothing }
    hasTimer = true
    return .wait
  }

  private mutating func takeBatch() -> Action {
    guard !waiting.isEmpty else { return .nothing }
    isExporting = true
    // Most often it is all of them.
    guard waiting.count > limits.batch else { return .export(waiting.takeAll()) }
    defer { waiting.removeFirst(limits.batch) }
    return .export(Array(waiting.prefix(limits.batch)))
  }
}

extension [TraceSpan] {
  fileprivate mutating func takeAll() -> [TraceSpan] {
    defer { self = [] }
    return self
  }
}

/// The counts of spans by their outcome.
public struct ExportCounts: Sendable, Hashable {
  /// The number of spans that were exported.
  public internal(set) var exported = 0
  /// The number of spans that weren't taken, since too many waited or the exporter was shut down.
  public internal(set) var dropped = 0
  /// The number of spans that the collector or the disk didn't accept, or that couldn't be handed
  /// over in time.
  public internal(set) var rejected = 0

  package init() {}
}
