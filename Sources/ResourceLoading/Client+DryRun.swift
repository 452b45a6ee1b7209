extension Client {
  /// What a load would send, found out without sending it.
  ///
  /// The request is completed and goes through the middleware, which neither waits nor renews credentials,
  /// and through the hook that signs. Redirects and retries can't be predicted.
  ///
  /// ```swift
  /// print(try await github.dryRun(.user("octocat")))
  /// ```
  ///
  /// - Parameter resource: What would be loaded.
  /// - Returns: The request as it would go on the wire, with an explanation.
  /// - Throws: The ``LoadError`` with which the load would fail before anything is sent.
  public func dryRun<R>(_ resource: Resource<R>) async throws -> DryRun {
    let request = resource.request
    let run = try LoadRun(
      Resource.data(request), through: chain, clock: clock, isDryRun: true)
    do {
      _ = try await run()
    } catch let captured as CapturedRequest {
      return DryRun(captured, middleware: configuration.middleware.map { "\(type(of: $0))" })
    }
    return DryRun(request: nil, description: "a middleware answers by itself: nothing is sent")
  }

  /// What a load of an endpoint would send, found out without sending it.
  ///
  /// - Parameter endpoint: A case of a router, a request struct, or anything else with a resource.
  /// - Returns: The request as it would go on the wire, with an explanation.
  /// - Throws: The ``LoadError`` with which the load would fail before anything is sent.
  public func dryRun(_ endpoint: some Endpoint) async throws -> DryRun {
    try await dryRun(endpoint.resource)
  }
}

/// What a load would send.
public struct DryRun: Sendable, CustomStringConvertible {
  /// The request as it would go on the wire, secrets included; `nil` if a middleware answers by itself.
  public var request: WireRequest?

  /// The request as a cURL line and what becomes of it, in a few lines. It never shows a secret.
  public var description: String
}

extension DryRun {
  fileprivate init(_ captured: CapturedRequest, middleware: [String]) {
    let options = captured.request.options
    var lines = [captured.sent.curlCommand(secretNames: options.secretNames).printable]
    if !middleware.isEmpty { lines.append("  through: \(middleware.joined(separator: ", "))") }
    let limits = [
      options.timeout.map { "\($0) in all" }, options.attemptTimeout.map { "\($0) an attempt" },
      options.idleTimeout.map { "\($0) without a byte" },
    ]
    lines.append(
      "  time: " + (limits.compactMap(\.self).joined(separator: ", ").nonEmpty ?? "no limit"))
    let size = options.maximumBodySize ?? ExchangeLimits.defaultMaximumBodySize
    lines.append("  body: at most \(size) bytes")
    let redirects = (options.redirects ?? .follow(limit: 20)).limit
    lines.append("  redirects: " + (redirects > 0 ? "at most \(redirects)" : "none"))
    self.init(request: captured.sent, description: lines.joined(separator: "\n"))
  }
}

extension String {
  fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}
