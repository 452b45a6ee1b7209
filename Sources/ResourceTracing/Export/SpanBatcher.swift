import PromiseModule
import ResourceLoading
import ResourcePrimitives
import Synchronization

/// Exports spans in batches, in separate tasks, so that loads don't wait.
final class SpanBatcher: Sendable {
  private let delay: Duration
  private let clock: LoadClock
  /// Exports a batch, and returns the number of spans that weren't accepted.
  private let export: @Sendable ([TraceSpan]) async -> Int
  private let state: Mutex<State>

  private struct State {
    var queue: ExportQueue
    /// The pending flushes, each with the number of spans that have to be settled.
    var flushes: [(until: Int, resolver: Promise<Void>.Resolver)] = []
  }

  /// `delay` is the longest time that a span waits for others.
  init(
    _ limits: ExportQueue.Limits, delay: Duration, clock: any Clock<Duration>,
    export: @escaping @Sendable ([TraceSpan]) async -> Int
  ) {
    self.delay = delay
    self.clock = LoadClock(clock)
    self.export = export
    state = Mutex(State(queue: ExportQueue(limits)))
  }
}

extension SpanBatcher {
  var counts: ExportCounts { state.withLock { $0.queue.counts } }

  func add(_ span: TraceSpan) { act(on: state.withLock { $0.queue.add(span) }) }

  /// Exports the waiting spans. Returns when they have been exported or given up, the limit has
  /// passed, or the calling task is cancelled.
  func flush(within limit: Duration? = nil) async {
    let (promise, resolver) = Promise<Void>.pending()
    let action = state.withLock { state in
      guard state.queue.settled < state.queue.taken else { return nil as ExportQueue.Action? }
      state.flushes.append((state.queue.taken, resolver))
      return state.queue.flush()
    }
    guard let action else {
      resolver.fulfill()
      return
    }
    act(on: action)
    let inTime = limit.map { promise.timeout(after: $0) } ?? promise
    try? await inTime.get()
  }

  /// Accepts no more spans, and exports the waiting ones.
  func shutDown(within limit: Duration? = nil) async {
    state.withLock { $0.queue.shutDown() }
    await flush(within: limit)
  }
}

extension SpanBatcher {
  private func act(on action: ExportQueue.Action) {
    switch action {
    case .nothing: break
    case .wait:
      Task.detached { [self] in
        try? await clock.sleep(delay)
        act(on: state.withLock { $0.queue.timerFired() })
      }
    case .export(let spans):
      // Detached, so that the export isn't part of a load's trace.
      Task.detached { [self] in
        let rejected = await export(spans)
        finish(spans.count, rejected)
      }
    }
  }

  private func finish(_ count: Int, _ rejected: Int) {
    let (action, over) = state.withLock { state in
      let until = state.flushes.map(\.until).max() ?? 0
      let action = state.queue.finish(count, rejected: rejected, untilTaken: until)
      let settled = state.queue.settled
      let over = state.flushes.filter { $0.until <= settled }.map(\.resolver)
      state.flushes.removeAll { $0.until <= settled }
      return (action, over)
    }
    for resolver in over { resolver.fulfill() }
    act(on: action)
  }
}
