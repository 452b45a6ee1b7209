public import Foundation
import Synchronization

extension LoopbackServer {
  /// The requests that have arrived, in order.
  ///
  /// A request is listed when its route is asked for the answer: with its whole body, or, with
  /// `LoopbackRoute.Moment.beforeBody`, without, and the body follows as it is read. One that breaks off
  /// inside its body is listed, too.
  public var requests: [ReceivedRequest] {
    state.log.requests.withLock { $0 }
  }

  /// The connections that were accepted, in order.
  public var connections: [ReceivedConnection] {
    state.log.connections.withLock { $0 }
  }

  /// What arrived and was no HTTP/1 request, each from where it began to what was read of it.
  public var malformed: [Data] {
    state.log.malformed.withLock { $0 }.map { Data($0) }
  }

  /// What has been counted up to now.
  public var statistics: Statistics {
    state.log.counts.value
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
    try await state.log.counts.wait(until: condition)
  }
}

extension LoopbackServer {
  /// What a server has counted up to one moment.
  public struct Statistics: Sendable, Hashable {
    /// Connections accepted in all.
    public internal(set) var accepted = 0

    /// Connections open now. A client's closing counts from when the server notices it.
    public internal(set) var open = 0

    /// The most connections that were open at once.
    public internal(set) var peakOpen = 0

    /// Requests received in all, broken-off ones included.
    public internal(set) var requests = 0

    /// Requests whose head has arrived and whose answer isn't complete. A request stops counting
    /// just before the last bytes of its answer are written, so never later than the client
    /// can see them.
    public internal(set) var inFlight = 0

    /// The most requests that were in flight at once.
    public internal(set) var peakInFlight = 0

    /// Connections that the client closed or reset, for whatever reason.
    public internal(set) var disconnects = 0

    /// Connections that the client closed or reset inside a request or before it had its answer.
    public internal(set) var aborts = 0

    /// Things that arrived and were no HTTP/1 request; each was answered with 400.
    public internal(set) var malformed = 0

    init() {}
  }
}

/// One connection as a `LoopbackServer` saw it.
public struct ReceivedConnection: Sendable, Hashable {
  /// How a connection ended.
  @nonexhaustive
  public enum Ending: Sendable, Hashable {
    /// The server closed it: a script said so, the request or the answer asked for it, or the server
    /// stopped.
    case byServer
    /// The client closed it between two requests, as clients do with connections they don't need.
    case byClient
    /// The client closed or reset it inside a request, or before it had its whole answer.
    case aborted
  }

  /// Counted from 1 in the order of acceptance.
  public let number: Int

  /// How many requests have come on it, broken-off ones included.
  public internal(set) var requests = 0

  /// How it ended; `nil` while it is open.
  public internal(set) var ending: Ending?
}

/// What went wrong on the server's side of a test: a system call that failed, or a wait that cannot
/// end because the server has stopped.
public struct LoopbackError: Error, Sendable, Hashable {
  /// What was being done, such as `"bind"`, or the name of a wait.
  public let operation: String

  /// The system's error number (`errno`); `nil` if no system call was involved.
  public let code: Int32?

  /// What happened, in words.
  public let reason: String

  package init(operation: String, code: Int32? = nil, reason: String) {
    self.operation = operation
    self.code = code
    self.reason = reason
  }

  static let stopped = LoopbackError(
    operation: "wait", reason: "the server has stopped before what was waited for came")
}

extension LoopbackError: CustomStringConvertible {
  public var description: String {
    let number = code.map { " (errno \($0))" } ?? ""
    return "loopback server: \(operation): \(reason)\(number)"
  }
}
