import ResourcePrimitives
import Synchronization

extension Client {
  /// Returns the request that a load would send, without sending it.
  ///
  /// The request is completed, passes through the middleware and is signed, and a transport records
  /// it in place of sending it. The library's own middleware adds what it would add, without
  /// waiting: no credential is renewed, and no cache is used. Redirects and retries can't be
  /// predicted.
  ///
  /// ```swift
  /// print(try await github.dryRun(.user("octocat")))
  /// ```
  ///
  /// - Parameter resource: The resource to load.
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
}

/// The request that a load would send.
public struct DryRun: Sendable, CustomStringConvertible {
  /// The request as it would go on the wire, secrets included; `nil` if a middleware returns a
  /// response of its own.
  public var request: WireRequest?

  /// The request as a cURL line, with its middleware and limits, in a few lines. It never shows a
  /// secret.
  public var description: String
}

extension DryRun {
  fileprivate init(
    _ request: WireRequest?, _ options: Request.Options, middleware: [String]
  ) {
    guard let request else {
      self.init(description: "a middleware returns a response of its own: nothing is sent")
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
    let redirects = (options.redirects ?? .standard).maximum
    lines.append("  redirects: " + (redirects > 0 ? "at most \(redirects)" : "none"))
    self.init(request: request, description: lines.joined(separator: "\n"))
  }
}

private final class RecordingTransport: Transport {
  private let recorded = Mutex<WireRequest?>(nil)

  var request: WireRequest? { recorded.withLock(\.self) }

  func start(_ request: WireRequest, receiver: any ExchangeReceiver) -> any Exchange {
    recorded.withLock { $0 = $0 ?? request }
    let end = FailingTransport(failure: LoadError(.closed, "nothing is sent in a dry run"))
    return end.start(request, receiver: receiver)
  }
}

extension Pipeline {
  /// Returns the pipeline over another transport, without the effects of the library's middleware.
  fileprivate func recording(by transport: some Transport) -> Pipeline {
    var runner = runner
    runner.transport = transport
    runner.observer = nil
    return Pipeline(
      runner, defaults: defaults,
      middleware: middleware.map { $0 is any PredictableMiddleware ? Predicting(stage: $0) : $0 },
      clock: clock)
  }
}

/// Stands for a middleware in a dry run: adds its credentials, and does nothing else.
private struct Predicting: Middleware {
  let stage: any Middleware

  func respond(to request: Request, next: Next) async throws -> Response {
    try await next(stage.credentialed(request, next: next))
  }
}
