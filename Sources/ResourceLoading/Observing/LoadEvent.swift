public import Foundation

/// Something that happened to one load of a ``Client``, for logs and metrics.
///
/// The events of one load come in order, from whatever thread the load is on; those of different loads mix.
public struct LoadEvent: Sendable {
  /// The number of the load within its client, from 1.
  public var load: UInt64

  /// How long after the load's beginning, by the client's clock.
  public var elapsed: Duration

  /// What happened.
  public var kind: Kind
}

extension LoadEvent {
  /// What can happen to a load. More may come: a `switch` needs an `@unknown default`.
  @nonexhaustive public enum Kind: Sendable {
    /// It began. The request is complete: base URL, default headers and default query are in it.
    // Indirect, since it is by far the largest.
    indirect case started(Request)
    /// It waits for its turn, as a limit of the client wants it.
    case queued
    /// A request goes to the transport: the first, a redirect's, or a retry's.
    case sent(method: Request.Method, url: URL)
    /// The first byte of a response arrived: its status.
    case received(Status)
    /// An exchange is as good as over, and took this long.
    case measured(ExchangeMetrics)
    /// A response is whole, with this many decoded bytes.
    case completed(Status, bytes: Int)
    /// It will be sent again after a pause; `attempt` is the number of the attempt to come, from 2.
    case retrying(attempt: Int, after: Duration, because: String)
    /// It shares the response of another load under way.
    case coalesced
    /// It waits for a new credential.
    case refreshingCredential
    /// The response comes from a cache.
    case fromCache(Response.Source)
    /// A cache couldn't read or write what it keeps. The load goes on as if nothing were kept.
    case cacheFailed(any Error)
    /// The value was parsed: it succeeded.
    case parsed
    /// It failed, or was cancelled.
    case failed(any Error)
  }
}
