import Foundation
import Synchronization

/// Between a transport that brings a body and one reader who takes it: a buffer with a bound.
final class StreamChannel: Sendable {
  private let state = Mutex(StreamChannelState())

  /// Whether it has brought a head that was wanted.
  var isOpen: Bool { state.withLock { $0.isOpen } }

  /// The head of the response that is wanted.
  func open(_ head: StreamHead) { act(on: state.withLock { $0.open(head) }) }

  /// The exchange that can be held back.
  func attach(_ exchange: any Exchange) { act(on: state.withLock { $0.attach(exchange) }) }

  /// A piece of the body.
  ///
  /// - Throws: `LoadError` of kind `tooLarge` if the transport can't be held back and the reader is far behind.
  func push(_ chunk: Data) throws {
    let action = state.withLock { $0.push(chunk) }
    act(on: action)
    if action.isOverflowing {
      throw LoadError(
        .tooLarge, "the reader of the stream is more than \(StreamChannelState.limit) bytes behind",
        advice: "Read faster, or download to a file")
    }
  }

  /// There will be no more.
  func end(_ failure: (any Error)?) { act(on: state.withLock { $0.end(failure) }) }

  private func act(on action: StreamChannelState.Action) {
    if action.pauses { action.exchange?.pause() }
    if action.resumes { action.exchange?.resume() }
    action.wake?()
  }
}

// MARK: - Reading

extension StreamChannel {
  /// The head, as soon as it is there.
  ///
  /// - Throws: Why there is none, or `CancellationError` if the calling task is cancelled.
  func head() async throws -> StreamHead {
    try await wait { state, continuation in state.waitForHead(continuation) }
  }

  /// The next piece; `nil` at the end.
  ///
  /// - Throws: Why the body isn't whole, or `CancellationError` if the calling task is cancelled.
  func next() async throws -> Data? {
    try await wait { state, continuation in state.waitForChunk(continuation) }
  }

  private func wait<Value: Sendable>(
    _ body: (inout StreamChannelState, CheckedContinuation<Value, any Error>) ->
      StreamChannelState.Action
  ) async throws -> Value {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        act(on: state.withLock { body(&$0, continuation) })
        if Task.isCancelled { end(CancellationError()) }
      }
    } onCancel: {
      end(CancellationError())
    }
  }
}

/// What comes before the body of a stream.
struct StreamHead: Sendable {
  var url: URL
  var head: ResponseHead
}
