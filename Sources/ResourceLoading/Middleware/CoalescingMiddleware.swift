import Foundation
import PromiseModule
import Synchronization

/// Lets identical concurrent loads share one load, which is sent for all of them.
///
/// Identical loads are `GET` and `HEAD` requests without a body, and `QUERY` requests with the same
/// body in memory, that have the same URL, headers, options (except priorities and limits of time
/// and speed), and the same credentials and cookies that later stages would add
/// (`Middleware.credentialed(_:next:)`). They share the response or the failure, and each load
/// checks and parses the response itself. Nothing is stored: a load that begins after the response
/// has arrived is sent again.
///
/// A load never joins a shared load that began before a sign-out, before a removal from a cache of
/// the client (`Middleware.generation(of:)`), or before the end of an unsafe request to its URL, so
/// a program always reads its own writes. If a shared load was sent with credentials that nothing
/// had predicted, each load that joined it sends its own request. Requests that
/// ``Client/Configuration/sign`` signs aren't shared.
///
/// Each load can be cancelled or time out without affecting the others. When the last load has
/// left, the shared one is cancelled. Later stages get the remaining time of the load with the
/// latest deadline. The time limit of an attempt, its idle timeout and its priority are those of
/// the first load. If they end the shared load, loads with longer limits share another one.
///
/// ```swift
/// let client = Client(baseURL: url) {
///   $0.middleware = [CoalescingMiddleware(), RetryMiddleware(), authentication]
/// }
/// ```
///
/// Put it before middleware that waits or retries, so that this happens once for all loads.
public struct CoalescingMiddleware: PredictableMiddleware {
  private let exchanges = SharedExchanges()

  /// Creates a coalescing middleware.
  public init() {}

  /// Waits for an identical load in flight, or passes on the request for all loads that join it.
  ///
  /// - Throws: What the next middleware throws, or `CancellationError` if the load has ended.
  public func respond(to request: Request, next: Next) async throws -> Response {
    guard request.method.isSafe else { return try await change(request, next) }
    guard Self.canShare(request), next.context.destination == nil, !next.isSigned(request)
    else { return try await next(request) }
    while true {
      // Stages in front may have gone on although the load has ended.
      try next.context.checkEnd()
      switch try await share(request, next) {
      case .outcome(let outcome): return try outcome.result.get()
      case .ofAnotherUser: return try await next(request)
      case .again: continue
      }
    }
  }

  /// Returns a number that grows when a request may have changed the resource at a URL.
  public func generation(of request: Request) -> Int { exchanges.generation(of: request.url) }

  /// Returns whether a request can use another one's response.
  static func canShare(_ request: Request) -> Bool {
    switch request.method {
    case .get, .head: request.body == nil
    case .query: request.body?.isInMemory ?? true
    default: false
    }
  }

  /// Sends a request that may change something. Loads that begin after its end join no earlier one.
  private func change(_ request: Request, _ next: Next) async throws -> Response {
    // Even if the request fails, the server may have acted on it.
    defer { exchanges.advance([request.url]) }
    let response = try await next(request)
    exchanges.advance(Invalidation.urls(after: response, to: request))
    // The responses of a group can have any URL (RFC 9875 section 3).
    let responses = Invalidation.responses(endingWith: response, to: request)
    if responses.contains(where: { $0.head.headers["Cache-Group-Invalidation"] != nil }) {
      exchanges.advanceAll()
    }
    return response
  }

  private enum Answer {
    case outcome(SharedExchange.Outcome)
    /// The request was sent with other credentials than those of this load.
    case ofAnotherUser
    /// The last waiting load just left, or the shared load exceeded a time limit that this load
    /// doesn't have.
    case again
  }

  /// Joins a shared load and waits for it.
  private func share(_ request: Request, _ next: Next) async throws -> Answer {
    // With its credentials, so that a load that begins after a sign-in shares nothing with an
    // earlier one.
    let predicted = next.predicted(request)
    let (shared, isNew) = exchanges.join(request, next.sharingKey(predicted), for: next.context)
    let ticket = shared.add(next.context)
    defer { shared.remove(ticket) }
    var isTold = isNew
    if isNew { shared.start(next) { [exchanges] in exchanges.end(shared) } }
    do {
      // Reported only when this load itself keeps the shared one alive, because the others may
      // leave from then on.
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
      // The shared load was cancelled, and no other load may join it.
      exchanges.end(shared)
      try next.context.checkEnd()
      return .again
    }
  }

  /// Returns whether the sent request had this load's credentials, either those at its beginning or
  /// the current ones, because a token may have been renewed.
  private func isOwn(
    _ sent: RequestIdentity?, _ request: Request, _ predicted: Request, _ next: Next
  ) -> Bool {
    // If no request was sent, the response is from a later cache, which has checked the
    // credentials.
    guard let sent = sent?.credentials(asking: request.url) else { return true }
    return sent == next.identity(of: predicted).credentials(asking: request.url)
      || sent == next.identity(of: next.predicted(request)).credentials(asking: request.url)
  }
}
