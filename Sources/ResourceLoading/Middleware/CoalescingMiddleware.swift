import PromiseModule

/// Lets identical loads that are under way at the same time share one exchange.
///
/// Identical are `GET` and `HEAD` requests without a body that agree in everything: URL, headers, options, and the
/// credentials and cookies that the stages behind would add (`Middleware.credentialed(_:next:)`). The
/// response is shared, and so is a failure; each load judges and parses it for itself. A load that begins after
/// the response has come is sent anew: nothing is kept.
///
/// Each load can be cancelled, and can run out of time, without disturbing the others. When the last of them
/// has left, the exchange is cancelled. The stages behind this one see the time that the most patient of them
/// has left.
///
/// ```swift
/// let client = Client(baseURL: url) {
///   $0.middleware = [CoalescingMiddleware(), RetryMiddleware(), authentication]
/// }
/// ```
///
/// Put it in front of what waits and repeats, so that it is done once for all.
public struct CoalescingMiddleware: Middleware {
  private let runs = SharedRuns()

  /// Makes a middleware that coalesces.
  public init() {}

  /// Waits for an identical load under way, or sends the request on for all that come while it is.
  ///
  /// - Throws: What comes behind throws, or `CancellationError` if the load is over.
  public func respond(to request: Request, next: Next) async throws -> Response {
    guard !next.isDryRun, Self.canShare(request), next.context.destination == nil
    else { return try await next(request) }
    while true {
      if let outcome = try await share(request, next) { return try outcome.result.get() }
    }
  }

  /// Whether a request may be answered by another one's response.
  static func canShare(_ request: Request) -> Bool {
    [.get, .head].contains(request.method) && request.body == nil
  }

  /// The outcome of a shared run, or `nil` if the last who waited for it left at this moment.
  private func share(
    _ request: Request, _ next: Next
  ) async throws -> SharedRun.Outcome? {
    let (run, isNew) = runs.join(request, next)
    let ticket = run.admit(next.context)
    defer { run.dismiss(ticket) }
    var isTold = isNew
    if isNew { run.start(next) { [runs] in runs.end(run) } }
    do {
      // Whoever hears of it can count on it: from then on the others may leave.
      let outcome = try await next.context.wait(forShared: run.promise) {
        if !isTold { next.report(.coalesced) }
        isTold = true
      }
      if !isTold { next.report(.coalesced) }
      next.context.unfollow()
      return outcome
    } catch {
      // It was given up: no one is to come upon it any more.
      runs.end(run)
      try next.context.checkEnd()
      return nil
    }
  }
}
