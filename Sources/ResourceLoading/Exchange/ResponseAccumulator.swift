import Dispatch
import Foundation
import Synchronization

/// Receives one response into memory or a sink, enforces its limits of time and size, and passes it
/// to the waiting task.
final class ResponseAccumulator: ExchangeReceiver {
  private let state: Mutex<ResponseAccumulatorState>
  private let limits: ExchangeLimits
  private let sink: (any BodySink)?
  private let observer: Observer

  struct Observer: Sendable {
    var head: @Sendable (ResponseHead) -> Void = { _ in }
    /// Called with each interim head; `nil` if they aren't needed.
    var interim: (@Sendable (ResponseHead) -> Void)?
    /// Returns whether a head is that of a redirect that will be followed or refused.
    var isRedirect: @Sendable (ResponseHead) -> Bool = { _ in false }
    var progress: ProgressReporter?
    var metrics: (@Sendable (ExchangeMetrics) -> Void)?
  }

  init(limits: ExchangeLimits, sink: (any BodySink)? = nil, observer: Observer = Observer()) {
    self.limits = limits
    self.sink = sink
    self.observer = observer
    state = Mutex(ResponseAccumulatorState(limits: limits))
  }
}

extension ResponseAccumulator {
  func received(_ head: ResponseHead) {
    guard head.headerSize <= limits.maximumHeaderSize else {
      let failure = LoadError(headersOver: limits.maximumHeaderSize)
      return act(on: state.withLock { $0.fail(failure) })
    }
    let isRedirect = observer.isRedirect(head)
    guard state.withLock({ $0.receive(head, isRedirect: isRedirect) }) else { return }
    observer.head(head)
    if state.withLock({ $0.isInHaste }) { watchTheClock() }
    guard let sink, !isRedirect else { return }
    attempt {
      let demand = try sink.begin(head)
      act(on: state.withLock { $0.serve(demand) })
    }
  }

  func received(interim head: ResponseHead) {
    state.withLock { $0.touch() }
    observer.interim?(head)
  }

  func received(trailers: Headers) {
    guard state.withLock({ $0.receive(trailers: trailers) }), let sink else { return }
    attempt { try sink.receive(trailers: trailers) }
  }

  func received(_ chunk: Data) {
    let action = state.withLock { $0.receive(chunk) }
    if action.isForSink { attempt { try sink?.write(chunk) } }
    act(on: action)
    if let progress = observer.progress, progress.isWanted, let total = action.received {
      let offset = sink?.offset ?? 0
      let expected = state.withLock { $0.expected }
      progress(.init(.download, completed: offset + total, of: expected.map { offset + $0 }))
    }
  }

  func sent(_ count: Int, of total: Int?) {
    state.withLock { $0.send(count, of: total) }
    observer.progress?(.init(.upload, completed: count, of: total))
  }

  var wantsMetrics: Bool { observer.metrics != nil }

  func measured(_ metrics: ExchangeMetrics) {
    guard let report = observer.metrics, !state.withLock(\.isHandedOver) else { return }
    var metrics = metrics
    metrics.serverTimings = state.withLock { $0.serverTimings }
    report(metrics)
  }

  func finished(_ failure: LoadError?) { act(on: state.withLock { $0.end(failure) }) }

  private func finishSink() {
    guard sink?.isSlowToFinish == true else { return finishSinkHere() }
    // A separate serial queue gets a thread immediately.
    DispatchQueue(label: "ResourceLoading.BodySink").async { self.finishSinkHere() }
  }

  private func finishSinkHere() {
    let result = Result { try sink?.finish { state.withLock { $0.commit() } } }
    act(on: state.withLock { $0.finish(result.map { _ in }) })
  }

  /// Runs an operation of the sink, and fails the exchange if it throws.
  private func attempt(_ body: () throws -> Void) {
    do { try body() } catch { act(on: state.withLock { $0.fail(error) }) }
  }
}

extension ResponseAccumulator {
  /// Starts an exchange and waits for its complete response. `start` isn't called if the calling
  /// task is already cancelled.
  func response(
    startingWith start: () -> any Exchange
  ) async throws -> (AccumulatedResponse, any Exchange) {
    try Task.checkCancellation()
    let exchange = start()
    sink?.attach(exchange)
    act(on: state.withLock { $0.begin(exchange) })
    watchTheClock()
    let response = try await withTaskCancellationHandler {
      try await unsafe withUnsafeThrowingContinuation { continuation in
        let continuation = unsafe ResponseAccumulatorState.Continuation(continuation)
        act(on: state.withLock { $0.wait(continuation) })
      }
    } onCancel: {
      cancel()
    }
    return (response, exchange)
  }

  /// Cancels the exchange: the waiting task gets a `CancellationError`. Can be called from any
  /// thread at any time.
  func cancel() { act(on: state.withLock { $0.fail(CancellationError()) }) }

  private func act(on action: ResponseAccumulatorState.Action) {
    action.stop?.cancel()
    action.timer?.cancel()
    action.asked?.findIdleTime { [self] idleTime in
      act(on: state.withLock { $0.answer(idleTime) })
      watchTheClock()
    }
    if action.finishesSink { finishSink() }
    if action.abandonsSink { sink?.abandon() }
    if action.endsConnection { sink?.connectionEnded(action.failure) }
    if let settlement = action.settlement {
      settlement.continuation.resume(with: settlement.result)
    }
  }
}

extension ResponseAccumulator {
  private func watchTheClock() {
    guard let moment = state.withLock({ $0.nextCheck }) else { return }
    // It retains the accumulator until it is cancelled, at the latest when the accumulator settles.
    let timer = DeadlineTimer(at: moment, on: limits.clock) { [self] in
      act(on: state.withLock { $0.check() })
      // Any activity since then has moved the limit.
      watchTheClock()
    }
    act(on: state.withLock { $0.arm(timer) })
  }
}
