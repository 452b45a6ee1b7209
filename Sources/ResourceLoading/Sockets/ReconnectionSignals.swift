import ResourcePrimitives
import Synchronization

extension WebSocket {
  /// Returns the same socket, which is opened again without the rest of the pause when a sequence
  /// has an element, for example when the network is back (`LiveSignals.continued()` of
  /// ResourceState).
  ///
  /// Only the pause after a connection that failed is shortened. A server that has refused the
  /// handshake or closed the socket was within reach, and gets the time it wants.
  ///
  /// - Parameter signals: The signals. Each sequence of messages iterates them, from its beginning
  ///   to its end.
  /// - Returns: A socket whose messages listen to the signals.
  public func reconnecting<Signals: AsyncSequence & Sendable>(on signals: Signals) -> WebSocket
  where Signals.Element: Sendable {
    var socket = self
    socket.signals = { end in
      do { for try await _ in signals { end() } } catch {}
    }
    return socket
  }
}

/// Listens to signals, each of which ends the pause that is under way.
final class ReconnectionSignals: Sendable {
  /// Calls a closure for each signal, until they end or the task is cancelled.
  typealias Listening = @Sendable (_ end: @escaping @Sendable () -> Void) async -> Void

  private let pause: Pause
  private let listening: Task<Void, Never>

  init(_ listen: @escaping Listening) {
    let pause = Pause()
    self.pause = pause
    listening = Task(executorPreference: SimulatedExecution.executor) {
      await listen { pause.end() }
    }
  }

  deinit { listening.cancel() }

  /// Waits until a pause is over, or until the next signal.
  func wait(for body: @escaping @Sendable () async throws -> Void) async throws {
    let task = Task(executorPreference: SimulatedExecution.executor) { try await body() }
    pause.begin(task)
    let result = await withTaskCancellationHandler {
      await task.result
    } onCancel: {
      task.cancel()
    }
    let wasEnded = pause.finish()
    if !wasEnded || Task.isCancelled { try result.get() }
  }

  private final class Pause: Sendable {
    private let state = Mutex<(task: Task<Void, any Error>?, wasEnded: Bool)>((nil, false))

    func begin(_ task: Task<Void, any Error>) { state.withLock { $0 = (task, false) } }

    func end() {
      let task = state.withLock { state in
        if state.task != nil { state.wasEnded = true }
        return state.task
      }
      task?.cancel()
    }

    /// Returns whether a signal has ended the pause.
    func finish() -> Bool {
      state.withLock { state in
        state.task = nil
        return state.wasEnded
      }
    }
  }
}
