import Synchronization

/// Where a waiting task leaves its continuation for whoever wakes it, as hand-written code does.
final class Slot: Sendable {
  private let waiting = Mutex<CheckedContinuation<Int, any Error>?>(nil)

  func wait() async throws -> Int {
    try await withCheckedThrowingContinuation { continuation in
      waiting.withLock { $0 = continuation }
    }
  }

  func waitCancellably() async throws -> Int {
    try await withTaskCancellationHandler {
      try await wait()
    } onCancel: {
      take()?.resume(throwing: CancellationError())
    }
  }

  @inline(never)
  func resume() {
    take()?.resume(returning: 1)
  }

  private func take() -> CheckedContinuation<Int, any Error>? {
    waiting.withLock { waiting in
      defer { waiting = nil }
      return waiting
    }
  }
}
