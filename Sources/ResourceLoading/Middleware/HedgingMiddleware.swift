import Foundation
import ResourcePrimitives
import Synchronization

/// Sends a second request when the first one takes unusually long, and takes the response that
/// comes first.
///
/// It shortens the long tail of latencies: the second request is sent after the time in which most
/// requests to the same host and path have been answered, and the slower one is cancelled. A budget
/// limits how many requests are added. Only `GET`, `HEAD`, `OPTIONS` and `TRACE` without a body and
/// with a response in memory are sent twice, never what may have effects.
///
/// ```swift
/// let client = Client(baseURL: url) {
///   $0.middleware = [RetryMiddleware(), HedgingMiddleware()]
/// }
/// ```
///
/// A path that is written with interpolation, such as `"/users/\(id)"`, is measured as one,
/// whatever the values. As long as fewer than 20 responses were measured, nothing is sent twice.
///
/// The method is that of J. Dean and L. A. Barroso, *The Tail at Scale* (2013).
public final class HedgingMiddleware: PredictableMiddleware {
  private let percentile: Double
  private let minimumDelay: Duration
  private let extraRequests: Double
  private let routes = Mutex(Routes())

  private struct Routes {
    var latencies: [Route: Latencies] = [:]
    /// The requests that may be added now.
    var budget = 0.0

    /// The most routes that are measured; then all begin anew.
    private static let limit = 1000

    mutating func add(_ latency: Duration, to route: Route) {
      if latencies.count >= Self.limit, latencies[route] == nil { latencies = [:] }
      latencies[route, default: Latencies()].add(latency)
    }
  }

  private struct Route: Hashable {
    let origin: Origin
    let method: Request.Method
    /// The path without values; `nil` if it isn't known how it was written.
    let path: String?

    init(_ request: Request) {
      let url = request.url
      origin = url.origin
      method = request.method
      path = request.template.text(in: url.absoluteString)
    }
  }

  /// Creates a middleware that hedges. Clients that are given the same one share its measurements.
  ///
  /// - Parameters:
  ///   - percentile: The part of the requests that are answered before a second one is sent, more
  ///     than 0 and less than 1.
  ///   - minimumDelay: The shortest time before a second request is sent.
  ///   - extraRequests: The limit on second requests, as a part of all requests. What isn't used
  ///     adds up to ten requests at most.
  public init(
    percentile: Double = 0.95, minimumDelay: Duration = .milliseconds(2),
    extraRequests: Double = 0.05
  ) {
    precondition(percentile > 0 && percentile < 1, "a percentile is between 0 and 1")
    precondition(extraRequests >= 0, "a limit isn't negative")
    self.percentile = percentile
    self.minimumDelay = minimumDelay
    self.extraRequests = extraRequests
  }

  /// Sends the request on, and once more if the response is late.
  ///
  /// - Throws: What the next middleware throws, or `CancellationError` if the load is over.
  public func respond(to request: Request, next: Next) async throws -> Response {
    guard request.method.isSafe, request.body == nil, next.context.destination == nil else {
      return try await next(request)
    }
    let route = Route(request)
    guard let delay = delay(of: route) else {
      return try await measured(route, next) { try await next(request) }
    }
    return try await race(request, route, next, after: delay)
  }
}

extension HedgingMiddleware {
  /// What happens while a response is awaited.
  private enum Event: Sendable {
    case late
    case outcome(Result<Response, any Error>, of: LoadContext)
  }

  private func race(
    _ request: Request, _ route: Route, _ next: Next, after delay: Duration
  ) async throws -> Response {
    try await withThrowingTaskGroup(of: Event.self) { group in
      var inFlight = 1
      group.addTask { await self.send(request, route, next) }
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
          group.addTask { await self.send(request, route, second) }
        case .outcome(let outcome, let context):
          inFlight -= 1
          next.context.adopt(context)
          // A failure that may pass waits for the other request.
          guard inFlight == 0 || !outcome.mayPass else { continue }
          return try outcome.get()
        }
      }
      throw CancellationError()
    }
  }

  private func send(_ request: Request, _ route: Route, _ next: Next) async -> Event {
    do {
      let response = try await measured(route, next) { try await next(request) }
      return .outcome(.success(response), of: next.context)
    } catch {
      return .outcome(.failure(error), of: next.context)
    }
  }

  /// Measures how long a successful response takes.
  private func measured(
    _ route: Route, _ next: Next, _ send: () async throws -> Response
  ) async throws -> Response {
    let start = next.clock.now()
    let response = try await send()
    if !Status.transient.contains(response.status) {
      let latency = next.clock.now() - start
      routes.withLock { $0.add(latency, to: route) }
    }
    return response
  }

  /// Returns when a second request is to be sent; `nil` if too little is known, or none may be.
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
  /// Whether another request may succeed.
  fileprivate var mayPass: Bool {
    switch self {
    case .success(let response): Status.transient.contains(response.status)
    case .failure(let error): !(error is CancellationError)
    }
  }
}

/// The last latencies of a route.
struct Latencies: Sendable {
  /// In the order of their arrival, as a ring.
  private var values: [Duration] = []
  private var oldest = 0
  private var sorted: [Duration] = []
  private var newCount = 0
}

extension Latencies {
  private static var capacity: Int { 256 }
  /// The fewest latencies of which a percentile is taken.
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

  /// Returns the latency that a part of the requests had at most; `nil` if too few were measured.
  func percentile(_ part: Double) -> Duration? {
    guard !sorted.isEmpty else { return nil }
    let rank = (Double(sorted.count) * part).rounded(.up)
    return sorted[min(sorted.count, max(1, Int(rank))) - 1]
  }
}
