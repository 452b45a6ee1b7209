import Foundation
import ResourcePrimitives
import Synchronization

/// Sends a second request when the response is unusually late, and takes whichever response comes
/// first.
///
/// This shortens the long tail of latencies. The second request is sent after the time within which
/// most requests to the same host and path are answered, and the slower one is cancelled. A budget
/// limits the additional requests. Only `GET`, `HEAD`, `OPTIONS` and `TRACE` without a body, and with
/// a response in memory, are sent twice: never a request with effects.
///
/// ```swift
/// let client = Client(baseURL: url) {
///   $0.middleware = [RetryMiddleware(), HedgingMiddleware()]
/// }
/// ```
///
/// An interpolated path such as `"/users/\(id)"` is one route, whatever its values. Nothing is sent
/// twice before 20 responses of a route were measured.
///
/// The method is from J. Dean and L. A. Barroso, *The Tail at Scale* (2013).
public final class HedgingMiddleware: PredictableMiddleware {
  private let percentile: Double
  private let minimumDelay: Duration
  private let extraRequests: Double
  private let routes = Mutex(Routes())

  private struct Routes {
    var latencies: [Route: Latencies] = [:]
    /// The number of second requests that may be sent now.
    var budget = 0.0

    /// The most routes that are remembered; one more clears all.
    private static let limit = 1000

    mutating func add(_ latency: Duration, to route: Route) {
      if latencies.count >= Self.limit, latencies[route] == nil { latencies = [:] }
      latencies[route, default: Latencies()].add(latency)
    }
  }

  private struct Route: Hashable {
    let origin: Origin
    let method: Request.Method
    /// The path without the values; `nil` if it wasn't interpolated.
    let path: String?

    init(_ request: Request) {
      let url = request.url
      origin = url.origin
      method = request.method
      path = request.template.text(in: url.absoluteString)
    }
  }

  /// Creates a hedging middleware. Clients with the same instance share its measurements.
  ///
  /// - Parameters:
  ///   - percentile: The share of responses that come before a second request is sent, between 0
  ///     and 1.
  ///   - minimumDelay: The shortest delay of a second request.
  ///   - extraRequests: The limit on second requests, as a share of all requests. Unused ones add
  ///     up to at most ten.
  public init(
    percentile: Double = 0.95, minimumDelay: Duration = .milliseconds(2),
    extraRequests: Double = 0.05
  ) {
    precondition(percentile > 0 && percentile < 1, "the percentile must be between 0 and 1")
    precondition(extraRequests >= 0, "extraRequests must not be negative")
    self.percentile = percentile
    self.minimumDelay = minimumDelay
    self.extraRequests = extraRequests
  }

  /// Passes on the request, and once more if the response is late.
  ///
  /// - Throws: What the next middleware throws, or `CancellationError` if the load has ended.
  public func respond(to request: Request, next: Next) async throws -> Response {
    guard request.method.isSafe, request.body == nil, next.context.destination == nil else {
      return try await next(request)
    }
    let route = Route(request)
    guard let delay = delay(of: route) else {
      let start = next.clock.now()
      let response = try await next(request)
      note(next.clock.now() - start, of: response, route)
      return response
    }
    return try await race(request, route, next, after: delay)
  }
}

extension HedgingMiddleware {
  private enum Event: Sendable {
    case late
    case outcome(Result<Response, any Error>, of: LoadContext, isFirst: Bool)
  }

  private func race(
    _ request: Request, _ route: Route, _ next: Next, after delay: Duration
  ) async throws -> Response {
    try await withThrowingTaskGroup(of: Event.self) { group in
      let start = next.clock.now()
      var (inFlight, hasFirstFailed) = (1, false)
      group.addTask { await Self.send(request, next, isFirst: true) }
      group.addTask {
        try await next.sleep(for: delay)
        return .late
      }
      defer { group.cancelAll() }
      while let event = try await group.next() {
        switch event {
        case .late:
          guard spend() else { continue }
          next.report(.hedged(after: delay))
          inFlight += 1
          let second = next.on(behalfOf: next.context.part(for: request, into: nil))
          group.addTask { await Self.send(request, second, isFirst: false) }
        case .outcome(let outcome, let context, let isFirst):
          inFlight -= 1
          next.context.adopt(context)
          if isFirst, outcome.mayPass { hasFirstFailed = true }
          // The other request may still succeed.
          guard inFlight == 0 || !outcome.mayPass else { continue }
          let response = try outcome.get()
          // The first one would have taken even longer. Without those that were late, what counts
          // as late would get shorter and shorter.
          if !hasFirstFailed { note(next.clock.now() - start, of: response, route) }
          return response
        }
      }
      throw CancellationError()
    }
  }

  private static func send(_ request: Request, _ next: Next, isFirst: Bool) async -> Event {
    do {
      return .outcome(.success(try await next(request)), of: next.context, isFirst: isFirst)
    } catch {
      return .outcome(.failure(error), of: next.context, isFirst: isFirst)
    }
  }

  /// Records the latency of a response that isn't a failure.
  private func note(_ latency: Duration, of response: Response, _ route: Route) {
    guard !Status.transient.contains(response.status) else { return }
    routes.withLock { $0.add(latency, to: route) }
  }

  /// Counts a request, and returns the delay of a second one; `nil` if too little is known.
  private func delay(of route: Route) -> Duration? {
    routes.withLock { routes in
      routes.budget = min(10, routes.budget + extraRequests)
      guard let latency = routes.latencies[route]?.percentile(percentile) else { return nil }
      return max(minimumDelay, latency)
    }
  }

  private func spend() -> Bool {
    routes.withLock { routes in
      guard routes.budget >= 1 else { return false }
      routes.budget -= 1
      return true
    }
  }
}

extension Result<Response, any Error> {
  /// Whether it is a failure that may pass.
  fileprivate var mayPass: Bool {
    switch self {
    case .success(let response): Status.transient.contains(response.status)
    case .failure(let error): !(error is CancellationError)
    }
  }
}

/// The latest latencies of a route.
struct Latencies: Sendable {
  /// In the order of their arrival, as a ring.
  private var values: [Duration] = []
  private var oldest = 0
  private var sorted: [Duration] = []
  private var newCount = 0
}

extension Latencies {
  private static var capacity: Int { 256 }
  /// The fewest latencies that have a percentile.
  private static var minimum: Int { 20 }

  mutating func add(_ latency: Duration) {
    if values.count < Self.capacity {
      values.append(latency)
    } else {
      values[oldest] = latency
      oldest = (oldest + 1) % Self.capacity
    }
    newCount += 1
    // Sorting costs more than all the rest.
    if newCount >= Self.minimum {
      (sorted, newCount) = (values.sorted(), 0)
    }
  }

  /// Returns a percentile; `nil` if too few latencies were measured.
  func percentile(_ part: Double) -> Duration? {
    guard !sorted.isEmpty else { return nil }
    let rank = (Double(sorted.count) * part).rounded(.up)
    return sorted[min(sorted.count, max(1, Int(rank))) - 1]
  }
}
