import Foundation

/// The way of one load over a transport: check, send, follow, accept, parse.
struct LoadRun<R: Sendable>: Sendable {
  private let resource: Resource<R>
  private let transport: any Transport

  init(_ resource: Resource<R>, over transport: any Transport) {
    self.resource = resource
    self.transport = transport
  }

  /// Carries the load out.
  ///
  /// - Throws: A `LoadError` with all the evidence there is, or `CancellationError`.
  @concurrent
  func callAsFunction() async throws -> R {
    var evidence = Evidence(resource.request)
    do {
      let response = try await respond(&evidence)
      return try await resource.read(response, &evidence)
    } catch {
      throw evidence.explain(error)
    }
  }
}

// MARK: - Sending and following

extension LoadRun {
  private func respond(_ evidence: inout Evidence) async throws -> Response {
    try Task.checkCancellation()
    let options = resource.request.options
    let limits = ExchangeLimits(
      deadline: options.timeout.map { .now + $0 }, total: options.timeout,
      maximumBodySize: options.maximumBodySize ?? ExchangeLimits.defaultMaximumBodySize)
    var request = try WireRequest(resource.request)
    var count = 0
    while true {
      let collected = try await exchange(request, limits, &evidence)
      guard let next = try await next(after: request, collected, count) else {
        return Response(
          url: request.url, method: request.method, status: collected.head.status,
          headers: collected.head.headers, body: collected.body)
      }
      request = next
      count += 1
    }
  }

  private func exchange(
    _ request: WireRequest, _ limits: ExchangeLimits, _ evidence: inout Evidence
  ) async throws -> CollectedResponse {
    evidence.begin(request)
    let collector = Collector(limits: limits)
    let collected = try await collector.response {
      transport.start(request, telling: collector)
    }
    evidence.end(collected.head.status)
    return collected
  }

  private func next(
    after request: WireRequest, _ collected: CollectedResponse, _ count: Int
  ) async throws -> WireRequest? {
    let decision = RedirectDecision(
      after: request, collected.head, count: count,
      policy: resource.request.options.redirects ?? .follow(limit: 20))
    switch decision {
    case .stop: return nil
    case .refuse(let reason, let advice): throw LoadError(.redirect, reason, advice: advice)
    case .follow(let next):
      guard let approval = collected.approval else { return next }
      return try await approval(next)
    }
  }
}
