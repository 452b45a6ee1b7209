/// The state machine of an export. Spans wait in a queue of limited length and are exported in
/// batches, one at a time. Each event returns what to do next.
struct ExportQueue: Sendable {
  struct Limits: Sendable {
    /// The most waiting spans. Further ones are dropped.
    var capacity = 2048
    /// The most spans of a batch.
    var batch = 512
  }

  enum Action: Sendable {
    case nothing
    /// Wait for more spans, then call `timerFired()`.
    case wait
    /// Export this batch, then call `finish(_:rejected:untilTaken:)`.
    case export([TraceSpan])
  }

  private let limits: Limits
  private var waiting: [TraceSpan] = []
  private var isExporting = false
  private var hasTimer = false
  private var isShutDown = false
  /// The number of spans accepted so far, and of those that have been exported or given up.
  private(set) var taken = 0
  private(set) var settled = 0
  private(set) var counts = ExportCounts()

  init(_ limits: Limits) { self.limits = limits }
}

extension ExportQueue {
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

  /// Ends a batch after it has been exported or given up. `untilTaken` is the number of spans,
  /// counted from the first, that a flush waits for.
  mutating func finish(_ count: Int, rejected: Int, untilTaken: Int) -> Action {
    isExporting = false
    settled += count
    counts.rejected += min(rejected, count)
    counts.exported += count - min(rejected, count)
    return settled < untilTaken ? takeBatch() : next()
  }

  /// Exports the waiting spans without waiting for more.
  mutating func flush() -> Action { isExporting ? .nothing : takeBatch() }

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
    // Usually the batch contains all of them.
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

/// The numbers of spans by outcome.
public struct ExportCounts: Sendable, Hashable {
  /// The number of spans that were exported.
  public internal(set) var exported = 0
  /// The number of spans that weren't accepted, because too many were waiting or the exporter was
  /// shut down.
  public internal(set) var dropped = 0
  /// The number of spans that the collector or the disk didn't accept, or that couldn't be
  /// delivered in time.
  public internal(set) var rejected = 0

  package init() {}
}
