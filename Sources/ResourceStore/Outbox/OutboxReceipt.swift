internal import PromiseModule
public import ResourceLoading

/// The result of ``Outbox/add(_:as:after:configure:)``, by which the answer can be awaited as long as this process
/// lives.
public struct OutboxReceipt: Sendable {
  /// The identity of the entry; `nil` if nothing is sent, because the entries that it would have undone weren't sent.
  public let id: OutboxEntry.ID?

  let answer: PendingAnswer

  /// Waits for the answer.
  ///
  /// Cancelling the task ends the wait and changes nothing else. Several tasks may wait.
  ///
  /// - Returns: The server's answer.
  /// - Throws: The `LoadError` with which the entry was parked, given up, or became uncertain; use
  ///   ``Outbox/receipt(for:)`` to wait for what becomes of it then. A `LoadError` of kind `outbox` if another process
  ///   has sent it, or if the transaction in which it was added was undone, and of kind `closed` if the outbox was
  ///   closed. `CancellationError` if the entry was dropped, cancelled or replaced, or if the task is cancelled.
  public func answer() async throws -> Response { try await answer.value() }
}

/// An answer that has come or may still come. The receipts of an entry share one; the sender only knows it as long as
/// there is such a receipt.
final class PendingAnswer: Sendable {
  private let pending = Promise<Response>.pending()
  private let id: OutboxEntry.ID
  private weak let sender: OutboxSender?

  init(for id: OutboxEntry.ID, of sender: OutboxSender) { (self.id, self.sender) = (id, sender) }

  deinit { sender?.forget(id) }

  /// Settles the answer. Only the first result counts.
  func settle(_ result: Result<Response, any Error>) { pending.resolver.resolve(result) }

  /// Waits for the answer.
  ///
  /// - Throws: The error that the answer is settled with, or `CancellationError` if the task is cancelled.
  func value() async throws -> Response {
    defer { withExtendedLifetime(self) {} }
    return try await pending.promise.shielded().get()
  }
}
