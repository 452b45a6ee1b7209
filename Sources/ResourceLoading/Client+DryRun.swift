import Synchronization

extension Client {
  /// What a load would send, found out without sending it.
  ///
  /// The request is completed, goes through the middleware and the hook that signs, and ends at a transport that
  /// records it. Of the library's own stages it gets what they would add, without waiting for any of them: no credential
  /// is renewed, and no cache is asked. Redirects and retries can't be predicted.
  ///
  /// ```swift
  /// print(try await github.dryRun(.user("octocat")))
  /// ```
  ///
  /// - Parameter resource: What would be loaded.
  /// - Returns: The request as it would go on the wire, with an explanation.
  /// - Throws: The ``LoadError`` with which the load would fail before anything is sent.
  public func dryRun<R>(_ resource: Resource<R>) async throws -> DryRun {
    var resource = try pipeline.completed(Resource.data(resource.request))
    resource.request.destination = .memory
    let transport = RecordingTransport()
    do {
      _ = try await pipeline.recording(by: transport).load(resource)
    } catch {
      guard transport.request != nil else { throw error }
    }
    return DryRun(
      transport.request, resource.request.options,
      middleware: configuration.middleware.map { "\(type(of: $0))" })
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
  fileprivate init(
    _ request: WireRequest?, _ options: Request.Options, middleware: [String]
  ) {
    guard let request else {
      self.init(description: "a middleware answers by itself: nothing is sent")
      return
    }
    var lines = [request.curlCommand(secretNames: options.secretNames).printable]
    if !middleware.isEmpty { lines.append("  through: \(middleware.joined(separator: ", "))") }
    let limits = [
      options.timeout.map { "\($0) in all" }, options.attemptTimeout.map { "\($0) an attempt" },
      options.idleTimeout.map { "\($0) without a byte" },
    ].compactMap(\.self)
    lines.append("  time: " + (limits.isEmpty ? "no limit" : limits.joined(separator: ", ")))
    let size = options.maximumBodySize ?? ExchangeLimits.defaultMaximumBodySize
    lines.append("  body: at most \(size) bytes")
    let redirects = (options.redirects ?? .follow(limit: 20)).limit
    lines.append("  redirects: " + (redirects > 0 ? "at most \(redirects)" : "none"))
    self.init(request: request, description: lines.joined(separator: "\n"))
  }
}

/// A transport that sends nothing: it keeps the first request that it is given, and ends.
private final class RecordingTransport: Transport {
  private let recorded = Mutex<WireRequest?>(nil)

  var request: WireRequest? { recorded.withLock(\.self) }

  func start(_ request: WireRequest, receiver: any ExchangeReceiver) -> any Exchange {
    recorded.withLock { $0 = $0 ?? request }
    receiver.finished(LoadError(.closed, "nothing is sent in a dry run"))
    return Ended()
  }

  private final class Ended: Exchange {
    func cancel() {}
  }
}

extension Pipeline {
  /// The same over another transport, without the effects of the library's stages.
  fileprivate func recording(by transport: some Transport) -> Pipeline {
    var runner = runner
    runner.transport = transport
    runner.observer = nil
    return Pipeline(
      runner, defaults: defaults,
      middleware: middleware.map { $0.isTransparent ? Predicting(stage: $0) : $0 }, clock: clock)
  }
}

/// Sends on what a transparent stage would.
private struct Predicting: Middleware {
  let stage: any Middleware

  var isTransparent: Bool { true }

  /// Sends the request on with the credentials of the stage.
  ///
  /// - Throws: What comes behind throws.
  func respond(to request: Request, next: Next) async throws -> Response {
    try await next(stage.credentialed(request, next: next))
  }
}
