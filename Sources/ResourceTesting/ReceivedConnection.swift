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
