import Foundation
import PromiseModule
import Synchronization

/// Lets identical loads that are in flight at the same time share one exchange.
///
/// Identical loads are `GET` and `HEAD` requests without a body that agree in URL, headers, the
/// credentials and cookies that the stages behind would add (`Middleware.credentialed(_:next:)`),
/// and options, except for priorities and limits of time and speed. The response is shared, and so
/// is a failure; each load checks and parses it for itself. Nothing is kept: a load that begins
/// after the response has come is sent anew.
///
/// A load never joins an exchange that began before a sign-out, before a removal from a cache of
/// the client (`Middleware.generation(of:)`), or before the end of an unsafe request to its URL:
/// one reads one's own writes. If the exchange turns out to have been sent with credentials that
/// nothing had predicted, each load that has joined it sends its own request. Requests that
/// ``Client/Configuration/sign`` signs aren't shared.
///
/// Each load can be cancelled, and can run out of time, without disturbing the others. When the
/// last of them has left, the exchange is cancelled. The stages behind this one see the time that
/// the most patient of them has left. The limits of an attempt, its idle time and its priority are
/// those of the first load; if they end the exchange, loads with longer ones share another one.
///
/// ```swift
/// let client = Client(baseURL: url) {
///   $0.middleware = [CoalescingMiddleware(), RetryMiddleware(), authentication]
/// }
/// ```
///
/// Put it in front of middleware that waits or repeats, so that this is done once for all loads.
public struct CoalescingMiddleware: PredictableMiddleware {
  private let exchanges = SharedExchanges()

  /// Creates a middleware that coalesces.
  public init() {}

  /// Waits for an identical load in flight, or sends the request on for all that come while it is.
  ///
  /// - Throws: What the next middleware throws, or `CancellationError` if the load is over.
  public func respond(to request: Request, next: Next) async throws -> Response {
    guard request.method.isSafe else { return try await change(request, next) }
    guard Self.canShare(request), next.context.destination == nil, !next.isSigned(request)
    else { return try await next(request) }
    while true {
      // Stages in front may have gone on although the load has ended.
      try Task.checkCancellation()
      switch try await share(request, next) {
      case .outcome(let outcome): return try outcome.result.get()
      case .ofAnotherUser: return try await next(request)
      case .again: continue
      }
    }
  }

  /// Returns a number that grows when a request may have changed what is at a URL.
  public func generation(of request: Request) -> Int { exchanges.generation(of: request.url) }

  /// Returns whether a request may be answered by the response of another one.
  static func canShare(_ request: Request) -> Bool {
    [.get, .head].contains(request.method) && request.body == nil
  }

  /// Sends a request that may change something. Loads that begin after its end share no exchange
  /// that began before.
  private func change(_ request: Request, _ next: Next) async throws -> Response {
    // Even if it fails, the server may have done it.
    defer { exchanges.advance([request.url]) }
    let response = try await next(request)
    exchanges.advance(Invalidation.urls(after: response, to: request))
    return response
  }

  /// The result of sharing an exchange.
  private enum Answer {
    case outcome(SharedExchange.Outcome)
    /// The request was sent with other credentials than those of this load.
    case ofAnotherUser
    /// The last load that waited for it left at this moment, or it ran out of a time that this load
    /// still has.
    case again
  }

  /// Joins an exchange and waits for it.
  private func share(_ request: Request, _ next: Next) async throws -> Answer {
    // With its credentials, so that a load that begins after a sign-in shares nothing with one that
    // began before.
    let predicted = next.predicted(request)
    let (shared, isNew) = exchanges.join(request, next.sharingKey(predicted), for: next.context)
    let ticket = shared.add(next.context)
    defer { shared.remove(ticket) }
    var isTold = isNew
    if isNew { shared.start(next) { [exchanges] in exchanges.end(shared) } }
    do {
      // Reported only when this load keeps the exchange alive by itself: from then on the others
      // may leave.
      let outcome = try await shared.outcome {
        if !isTold { next.report(.coalesced) }
        isTold = true
      }
      guard isNew || isOwn(shared.sent, request, predicted, next) else {
        next.context.unfollow(keepingExchanges: false)
        return .ofAnotherUser
      }
      if !isTold { next.report(.coalesced) }
      next.context.unfollow()
      return !isNew && shared.gaveUp(outcome, before: request) ? .again : .outcome(outcome)
    } catch {
      // The exchange was given up, and no load may join it any more.
      exchanges.end(shared)
      try Task.checkCancellation()
      return .again
    }
  }

  /// Returns whether a request that was sent had the credentials that this load had at its
  /// beginning, or has now: a token may have been renewed.
  private func isOwn(
    _ sent: RequestIdentity?, _ request: Request, _ predicted: Request, _ next: Next
  ) -> Bool {
    // Without a request the response is from a cache behind, which has looked at the credentials.
    guard let sent = sent?.credentials(asking: request.url) else { return true }
    return sent == next.identity(of: predicted).credentials(asking: request.url)
      || sent == next.identity(of: next.predicted(request)).credentials(asking: request.url)
  }
}
