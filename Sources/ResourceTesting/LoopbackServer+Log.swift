public import Foundation
import Synchronization

extension LoopbackServer {
  /// The requests that have arrived, in order.
  ///
  /// A request is listed when its route is asked for the answer: with its whole body, or, with
  /// `Route.Moment.beforeBody`, without, and the body follows as it is read. One that breaks off
  /// inside its body is listed, too.
  public var requests: [ReceivedRequest] {
    switchboard.log.requests.withLock { $0 }
  }

  /// The connections that were accepted, in order.
  public var connections: [ReceivedConnection] {
    switchboard.log.connections.withLock { $0 }
  }

  /// What arrived and was no HTTP/1 request, each from where it began to what was read of it.
  public var malformed: [Data] {
    switchboard.log.malformed.withLock { $0 }.map { Data($0) }
  }

  /// What has been counted up to now.
  public var statistics: Statistics {
    switchboard.log.counts.value
  }
}

extension LoopbackServer {
  /// Suspends until at least `count` requests are in `requests`, counted from the start.
  ///
  /// - Returns: the requests there are then.
  /// - Throws: `CancellationError` if the task is cancelled first, `LoopbackError` if the server stops
  ///   first.
  @discardableResult
  public func waitForRequests(count: Int) async throws -> [ReceivedRequest] {
    try await wait { $0.requests >= count }
    return requests
  }

  /// Suspends until clients have closed or reset at least `count` connections, counted from the
  /// start.
  ///
  /// Such an end is noticed while the server reads, writes or waits in a script.
  ///
  /// - Throws: `CancellationError` if the task is cancelled first, `LoopbackError` if the server stops
  ///   first.
  public func waitForDisconnects(count: Int) async throws {
    try await wait { $0.disconnects >= count }
  }

  /// Suspends until `condition` is true of what has been counted, such as `{ $0.open == 0 }`.
  ///
  /// - Parameter condition: called at once and after every change, on any thread.
  /// - Returns: the first statistics for which it was true.
  /// - Throws: `CancellationError` if the task is cancelled first, `LoopbackError` if the server stops
  ///   first.
  @discardableResult
  public func wait(
    until condition: @escaping @Sendable (Statistics) -> Bool
  ) async throws -> Statistics {
    try await switchboard.log.counts.wait(until: condition)
  }
}
