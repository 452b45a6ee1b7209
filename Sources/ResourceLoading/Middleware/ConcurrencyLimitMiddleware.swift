import Foundation
import PromiseModule
import Synchronization

/// Bounds how many requests are under way at once, per host and in all.
///
/// What exceeds it waits for its turn, first come, first served; a host whose turn it isn't holds up no other.
/// A load that waits can be cancelled, and its time limit counts.
///
/// ```swift
/// let client = Client(baseURL: url) {
///   $0.middleware = [RetryMiddleware(), ConcurrencyLimitMiddleware(perHost: 4)]
/// }
/// ```
///
/// Put it inside of ``RetryMiddleware``, so that a load that waits for its next attempt takes nobody's turn. What a
/// middleware loads by ``Next/bypass``, such as a new token, isn't counted and doesn't wait.
public final class ConcurrencyLimitMiddleware: Middleware {
  private typealias Turn = Promise<Void>.Resolver

  private let state: Mutex<Turns<Turn>>
  private let isPerHost: Bool

  /// Makes a limit. Clients that are given the same one share it.
  ///
  /// - Parameters:
  ///   - perHost: How many requests to one host (and port) are under way at most; `nil` for any number.
  ///   - total: How many requests are under way at most; `nil` for any number.
  public init(perHost: Int? = nil, total: Int? = nil) {
    precondition(
      (perHost ?? 1) > 0 && (total ?? 1) > 0, "a limit leaves room for at least one request")
    state = Mutex(Turns(perHost: perHost, total: total))
    isPerHost = perHost != nil
  }

  /// Waits for a turn and sends the request on.
  ///
  /// - Throws: What comes behind throws, or `CancellationError` if the load is over.
  public func respond(to request: Request, next: Next) async throws -> Response {
    let place = next.isDryRun ? nil : take(isPerHost ? request.url.hostAndPort : "")
    // Also if the load is cancelled between getting its turn and using it.
    defer { giveBack(place?.ticket) }
    if let turn = place?.turn { try await Self.wait(for: turn, next.context) }
    try next.context.checkEnd()
    return try await next(request)
  }

  // Not inlined: it would have room in the frame of every load for as long as that is under way.
  @inline(never)
  private static func wait(for turn: Promise<Void>, _ context: LoadContext) async throws {
    context.report(.queued)
    try await context.wait(for: turn)
  }

  private func take(_ host: String) -> (ticket: Turns<Turn>.Ticket, turn: Promise<Void>?) {
    state.withLock { state in
      if let ticket = state.enter(host) { return (ticket, nil) }
      let (promise, resolver) = Promise<Void>.pending()
      return (state.wait(for: host, resolver), promise)
    }
  }

  private func giveBack(_ ticket: Turns<Turn>.Ticket?) {
    guard let ticket else { return }
    state.withLock { $0.leave(ticket) }?.fulfill()
  }
}

extension URL {
  /// What a limit per host counts by.
  var hostAndPort: String {
    let standard = scheme?.lowercased() == "https" ? 443 : 80
    return "\(host()?.lowercased() ?? ""):\(port ?? standard)"
  }
}
