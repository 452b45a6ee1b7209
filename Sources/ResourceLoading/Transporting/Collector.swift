import Foundation
import Synchronization

/// Collects one response in memory, keeps its time and its size limit, and hands it to the one who waits.
final class Collector: RedirectApproving {
  private let state: Mutex<CollectorState>
  private let limits: ExchangeLimits

  private let firstByte: @Sendable (Status) -> Void

  /// - Parameters:
  ///   - limits: What the exchange may take.
  ///   - firstByte: Is told the status of each head.
  init(limits: ExchangeLimits, firstByte: @escaping @Sendable (Status) -> Void = { _ in }) {
    self.limits = limits
    self.firstByte = firstByte
    state = Mutex(CollectorState(limits: limits))
  }

  func received(_ head: ResponseHead) {
    state.withLock { $0.receive(head) }
    firstByte(head.status)
  }

  func received(_ approval: @escaping RedirectApproval) {
    state.withLock { $0.receive(approval) }
  }

  func received(_ chunk: Data) {
    act(on: state.withLock { $0.receive(chunk) })
  }

  func finished(_ failure: LoadError?) {
    act(on: state.withLock { $0.finish(failure) })
  }
}

extension Collector {
  /// Starts an exchange and waits for its response.
  ///
  /// - Parameter start: Starts the exchange; not called if the calling task is cancelled already.
  /// - Returns: The whole response.
  /// - Throws: `CancellationError` as soon as the calling task is cancelled, otherwise a `LoadError`.
  func response(
    startingWith start: () -> any Exchange
  ) async throws -> CollectedResponse {
    try Task.checkCancellation()
    let exchange = start()
    act(on: state.withLock { $0.begin(exchange) })
    watchTheClock()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        act(on: state.withLock { $0.wait(continuation) })
      }
    } onCancel: {
      act(on: state.withLock { $0.cancel() })
    }
  }

  private func act(on action: CollectorState.Action) {
    action.stop?.cancel()
    action.timer?.cancel()
    if let settlement = action.settlement {
      settlement.continuation.resume(with: settlement.result)
    }
  }
}

extension Collector {
  private func watchTheClock() {
    guard let deadline = limits.deadline else { return }
    let timer = DeadlineTimer(at: deadline, on: limits.clock) { [weak self] in self?.expire() }
    act(on: state.withLock { $0.arm(timer) })
  }

  private func expire() {
    act(on: state.withLock { $0.expire() })
  }
}
