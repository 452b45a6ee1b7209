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
    let request = request.forSocket(within: options.connectTimeout)
    guard pipeline.runner.transport.canSwitchProtocols else {
      throw ErrorContext(request).explain(LoadError.cannotSwitch)
    }
    let destination = SocketDestination(options)
    try await shakeHands(request, destination)
    guard let opening = destination.opening else {
      destination.end(with: nil)
      throw ErrorContext(request).explain(LoadError.nothingToStream)
    }
    let core = SocketCore(destination, self, options, opening.agreement.compression)
    core.begin()
    return WebSocket.Connection(
      core, opening.head, subprotocol: opening.agreement.subprotocol,
      secretNames: request.options.secretNames)
  }

  /// Loads a handshake. Its load is over then, but the connection ends with the client, too.
  private func shakeHands(_ request: Request, _ destination: SocketDestination) async throws {
    let resource = try pipeline.completed(Resource.void(request))
    let context = LoadContext(resource, identity(), in: pipeline, destination: destination)
    try begin(context, resource.request)
    destination.atEnd { [self] _ in end(context) }
    do {
      try await pipeline.load(resource, in: context)
    } catch {
      destination.end(with: error)
      throw error
    }
  }
}

extension Request {
  /// The request of a handshake.
  fileprivate func forSocket(within limit: Duration) -> Request {
    var request = self
    if case .url(let url) = address { request.address = .url(url.ofHandshake) }
    request.options.acceptedStatuses = [.switchingProtocols]
    request.options.timeout = request.options.timeout ?? limit
    request.options.maximumBodySize = .max
    return request
  }
}

extension LoadError {
  fileprivate static let cannotSwitch = LoadError(
    .invalidRequest, "the transport of the client can't open WebSockets",
    advice: "On Linux use CurlTransport, the default with the trait Curl")
}
