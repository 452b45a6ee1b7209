import Foundation
import PromiseModule
import ResourcePrimitives

extension Client {
  /// Returns a WebSocket of the client. Nothing is sent yet.
  ///
  /// - Parameters:
  ///   - request: The request of the handshake, a `GET`. An absolute URL may have the scheme `ws`
  ///     or `wss`.
  ///   - configure: Changes the settings.
  public func socket(
    _ request: Request, _ configure: (inout WebSocket.Options) -> Void = { _ in }
  ) -> WebSocket {
    var options = WebSocket.Options()
    configure(&options)
    return WebSocket(request: request, options: options, client: self)
  }
}

extension Client: SocketClient {
  var clock: LoadClock { pipeline.clock }
  var encoder: JSONEncoder { configuration.encoder }
  var decoder: JSONDecoder { configuration.decoder }

  func connect(
    _ request: Request, _ options: WebSocket.Options
  ) async throws -> WebSocket.Connection {
    try Task.checkCancellation()
    let limit = request.options.timeout ?? options.connectTimeout
    let end = clock.now() + limit.countable
    let request = request.forSocket
    guard pipeline.runner.transport.canSwitchProtocols else {
      throw ErrorContext(request).explain(LoadError.cannotSwitch)
    }
    let destination = SocketDestination(options)
    let load = Promise<Void> { [self] in
      try await self.load(Resource.void(request), into: destination)
    }
    load.observe(on: .inline) { [channel = destination.channel] result in
      if case .failure(let error) = result { channel.end(error) } else { channel.end(nil) }
    }
    let body = ChannelBody(destination.channel, load)
    let timer = DeadlineTimer(at: end, on: clock) {
      destination.channel.end(ErrorContext(request).explain(LoadError(tookLongerThan: limit)))
      load.cancel()
    }
    defer { timer.cancel() }
    let head = try await body.head()
    guard let (exchange, agreement) = destination.upgraded else { throw LoadError.connectionLost }
    let core = SocketCore(body, exchange, request, self, options, agreement.compression)
    core.begin()
    return WebSocket.Connection(
      core, head, subprotocol: agreement.subprotocol, secretNames: request.options.secretNames)
  }
}

extension Request {
  /// The request of a handshake, whose load takes as long as the socket is open.
  fileprivate var forSocket: Request {
    var request = self
    if case .url(let url) = address { request.address = .url(url.ofHandshake) }
    request.options.acceptedStatuses = [.switchingProtocols]
    request.options.timeout = .century
    request.options.attemptTimeout = .century
    request.options.idleTimeout = .century
    request.options.maximumBodySize = .max
    return request
  }
}

extension LoadError {
  fileprivate static let cannotSwitch = LoadError(
    .invalidRequest, "the transport of the client can't open WebSockets",
    advice: "On Linux use CurlTransport, the default with the trait Curl")
}
