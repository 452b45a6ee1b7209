/// Spans that wait to be exported: at most so many, in batches, one batch at a time. Each event returns what is to be done.
struct ExportQueue: Sendable {
  /// How many spans wait, and for how long.
  struct Limits: Sendable {
    /// The most spans that wait; further ones are dropped.
    var capacity = 2048
    /// The most spans of a batch.
    var batch = 512
  }

  /// What is to be done.
  enum Action: Sendable {
    case nothing
    /// Wait for more spans, for a while, and then call `timerFired()`.
    case wait
    /// Export this batch, and then call `finish(_:rejected:)`.
    case export([TraceSpan])
  }

  private let limits: Limits
  private var waiting: [TraceSpan] = []
  private var isExporting = false
  private var hasTimer = false
  private var isShutDown = false
  /// How many spans were taken so far, and how many of them have left.
  private(set) var taken = 0
  private(set) var settled = 0
  /// What became of them.
  private(set) var counts = ExportCounts()

  init(_ limits: Limits) { self.limits = limits }
}

extension ExportQueue {
  /// A span is to be exported.
  mutating func add(_ span: TraceSpan) -> Action {
    guard !isShutDown, waiting.count < limits.capacity else {
      counts.dropped += 1
      return .nothing
    }
    waiting.append(span)
    taken += 1
    return next()
  }

  /// The time for more spans is over.
  mutating func timerFired() -> Action {
    hasTimer = false
    return isExporting ? .nothing : takeBatch()
  }

  /// A batch was exported, or given up.
  ///
  /// - Parameters:
  ///   - count: The number of its spans.
  ///   - rejected: How many of them weren't accepted.
  ///   - untilTaken: Up to which span somebody waits for.
  mutating func finish(_ count: Int, rejected: Int, untilTaken: Int) -> Action {
    isExporting = false
    settled += count
    counts.rejected += min(rejected, count)
    counts.exported += count - min(rejected, count)
    return settled < untilTaken ? takeBatch() : next()
  }

  /// Somebody waits for all spans so far.
  mutating func flush() -> Action { isExporting ? .nothing : takeBatch() }

  /// No more spans are taken.
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

/// What became of the spans that were to be exported.
public struct ExportCounts: Sendable, Hashable {
  /// The number of spans that were exported.
  public internal(set) var exported = 0
  /// The number of spans that weren't taken, since too many waited or the exporter was shut down.
  public internal(set) var dropped = 0
  /// The number of spans that the collector or the disk didn't accept, or that couldn't be handed over in time.
  public internal(set) var rejected = 0

  /// Counts nothing.
  public init() {}
}
