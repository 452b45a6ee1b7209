internal import Foundation
internal import ResourceLoading
internal import Synchronization

// One request of all processes that share a storage.
extension CachedLoad {
  /// Sends a request, unless another process is requesting the same response. In that case this
  /// waits for the response, up to a limit.
  func sendInTurn(
    _ decision: CacheDecision, _ stored: [StoredResponse]
  ) async throws -> Response {
    guard mayUseOthersRequest else { return try await send(decision, stored) }
    var (decision, stored) = (decision, stored)
    var wait = LeaseWait(since: next.now.uptime)
    while true {
      switch try await lease(stored) {
      case .notNeeded: return try await send(decision, stored)
      case .granted(let flight): return try await send(in: flight)
      case .taken(let time):
        let pause = wait.pause(
          at: next.now.uptime, leaseTime: time, remainingTime: next.remainingTime)
        guard let pause else { return try await send(decision, stored) }
        try await next.sleep(for: pause)
        let before = lastArrival(stored)
        stored = try await self.stored()
        decision = self.decision(stored)
        if let response = try answer(decision) { return response }
        // Another process got a response that this request can't use.
        if lastArrival(stored) > before { return try await send(decision, stored) }
      }
    }
  }

  /// Revalidates a stored response, unless another process is doing that.
  func validateInTurn(_ stored: StoredResponse) async throws {
    switch try await lease([stored]) {
    case .notNeeded: _ = try await validate(stored)
    case .taken: break
    case .granted(let flight):
      defer { end(flight) }
      if case .serve = decision(try await self.stored()) { return flight.wasUnnecessary() }
      switch try await joining(flight).validate(stored) {
      case .stored(let stored, let source): flight.note(stored.response.status, source)
      case .replaced(let response): flight.note(response.status, response.source)
      }
    }
  }

  private enum Lease {
    case notNeeded
    case granted(Flight)
    case taken(Duration)
  }

  private func lease(_ stored: [StoredResponse]) async throws -> Lease {
    let variant = predicted.variant(among: stored, under: key)
    switch try await storage.lease(for: key, variant: variant, next.report) {
    case .notNeeded: return .notNeeded
    case .granted(let token): return .granted(Flight(token: token, variant: variant))
    case .taken(let time): return .taken(time)
    }
  }

  /// Sends the request for which others wait, unless the response has just been stored.
  private func send(in flight: Flight) async throws -> Response {
    defer { end(flight) }
    let stored = try await stored()
    let decision = decision(stored)
    if let response = try answer(decision) {
      flight.wasUnnecessary()
      return response
    }
    let response = try await joining(flight).send(decision, stored)
    flight.note(response.status, response.source)
    return response
  }

  private func joining(_ flight: Flight) -> CachedLoad {
    var load = self
    load.flight = flight
    return load
  }

  private func end(_ flight: Flight) {
    storage.endLease(flight.token, for: key, variant: flight.variant, flight.outcome)
  }

  /// When the last response that this request selects has arrived.
  private func lastArrival(_ stored: [StoredResponse]) -> Date {
    stored.filter { $0.isSelected(by: predicted) }.map(\.responseDate).max() ?? .distantPast
  }
}

/// A request for which other processes wait.
final class Flight: Sendable {
  let token: String
  let variant: String
  private let state = Mutex(ResponseLease.Outcome.failed)

  init(token: String, variant: String) {
    self.token = token
    self.variant = variant
  }
}

extension Flight {
  /// What the other processes can expect.
  var outcome: ResponseLease.Outcome { state.withLock(\.self) }

  /// Records that a response was stored, and whether the same request would now use it.
  func noteStored(isUsable: Bool) {
    state.withLock { $0 = isUsable ? .stored : .notShared }
  }

  /// Records that the response had been stored before the request was sent.
  func wasUnnecessary() { state.withLock { $0 = .stored } }

  /// Records a response, which may have been stored.
  func note(_ status: Status, _ source: Response.Source) {
    guard case .network = source, status.rawValue < 500, status != .tooManyRequests else { return }
    state.withLock { if $0 == .failed { $0 = .notShared } }
  }
}

/// How long a load waits for the response that another process requests.
struct LeaseWait {
  private let start: Duration
  private var limit: Duration?

  init(since start: Duration) { self.start = start }
}

extension LeaseWait {
  /// Returns the time until the load looks for the response again; `nil` if it has to send the
  /// request. The time grows, so that a load waits a fifth longer than necessary at most.
  ///
  /// - Parameters:
  ///   - now: The current time.
  ///   - leaseTime: The remaining time of the other process's lease. The first one counts.
  ///   - remainingTime: The remaining time of the load; at most half of it is spent waiting.
  mutating func pause(
    at now: Duration, leaseTime: Duration, remainingTime: Duration?
  ) -> Duration? {
    let waited = now - start
    let limit = limit ?? min(leaseTime, remainingTime.map { $0 / 2 } ?? leaseTime)
    self.limit = limit
    guard waited < limit else { return nil }
    return min(max(.milliseconds(5), min(waited / 5, .milliseconds(250))), limit - waited)
  }
}
