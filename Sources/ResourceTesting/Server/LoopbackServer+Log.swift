public import Foundation
import Synchronization

extension LoopbackServer {
  /// The requests that have arrived, in order.
  ///
  /// A request is listed with its whole body when the handler of its route is called. With
  /// `LoopbackRoute.Timing.beforeBody` it is listed without the body, which is added as it is read.
  /// A request that breaks off within its body is listed, too.
  public var requests: [ReceivedRequest] {
    state.log.requests.withLock { $0 }
  }

  /// The connections that were accepted, in order.
  public var connections: [ReceivedConnection] {
    state.log.connections.withLock { $0 }
  }

  /// The malformed HTTP/1 requests, each as far as it was read.
  public var malformed: [Data] {
    state.log.malformed.withLock { $0 }.map { Data($0) }
  }

  /// The counts up to now.
  public var statistics: Statistics {
    state.log.counts.value
  }
}

extension LoopbackServer {
  /// Suspends until at least `count` requests are in `requests`, counted from the start.
  ///
  /// - Returns: All requests up to then.
  /// - Throws: `CancellationError` if the task is cancelled first, `LoopbackError` if the server
  ///   stops first.
  @discardableResult
  public func waitForRequests(count: Int) async throws -> [ReceivedRequest] {
    try await wait { $0.requests >= count }
    return requests
  }

  /// Suspends until clients have closed or reset at least `count` connections, counted from the
  /// start.
  ///
  /// The server notices such an end while it reads, writes or waits in a script.
  ///
  /// - Throws: `CancellationError` if the task is cancelled first, `LoopbackError` if the server
  ///   stops first.
  public func waitForDisconnects(count: Int) async throws {
    try await wait { $0.disconnects >= count }
  }

  /// Suspends until a condition is true for the counts, such as `{ $0.open == 0 }`.
  ///
  /// - Parameter condition: Called at once and after every change, on any thread.
  /// - Returns: The first counts for which it was true.
  /// - Throws: `CancellationError` if the task is cancelled first, `LoopbackError` if the server
  ///   stops first.
  @discardableResult
  public func wait(
    until condition: @escaping @Sendable (Statistics) -> Bool
  ) async throws -> Statistics {
    try await state.log.counts.wait(until: condition)
  }
}

extension LoopbackServer {
  /// The counts of a server at one time.
  public struct Statistics: Sendable, Hashable {
    /// The total of accepted connections.
    public internal(set) var accepted = 0

    /// Connections that are open now. A connection that the client has closed counts until the
    /// server notices.
    public internal(set) var open = 0

    /// The most connections that were open at once.
    public internal(set) var peakOpen = 0

    /// The total of received requests, including those that broke off.
    public internal(set) var requests = 0

    /// Requests whose head has arrived and whose response isn't complete. A request stops counting
    /// just before the last bytes of its response are written, so never after the client sees them.
    public internal(set) var inFlight = 0

    /// The most requests that were in flight at once.
    public internal(set) var peakInFlight = 0

    /// Connections that the client closed or reset for any reason.
    public internal(set) var disconnects = 0

    /// Connections that the client closed or reset within a request or before it had the whole
    /// response.
    public internal(set) var aborts = 0

    /// Requests that weren't HTTP/1; each got status 400.
    public internal(set) var malformed = 0

    init() {}
  }
}

/// A connection of a `LoopbackServer`.
public struct ReceivedConnection: Sendable, Hashable {
  /// How a connection ended.
  @nonexhaustive
  public enum Termination: Sendable, Hashable {
    /// The server closed it because of a script, the request or the response, or because it was
    /// stopped.
    case byServer
    /// The client closed it between two requests, as clients do with connections that they no
    /// longer need.
    case byClient
    /// The client closed or reset it within a request, or before it had the whole response.
    case aborted
  }

  /// The number of the connection, counted from 1 in the order of acceptance.
  public let number: Int

  /// The number of its requests, including one that broke off.
  public internal(set) var requests = 0

  /// How it ended; `nil` while it is open.
  public internal(set) var termination: Termination?
}
