import Foundation
import Synchronization

/// Takes over the connection of a load whose server switches to WebSocket.
final class SocketDestination: BodyDestination {
  /// The bytes that the server sends.
  let channel = StreamChannel()
  private let options: WebSocket.Options
  private let state = Mutex(State())

  private struct State {
    var exchange: (any Exchange)?
    /// The head and what it agrees on, which may arrive before the exchange is known.
    var opening: (head: StreamHead, agreement: WebSocketHandshake.Agreement)?
  }

  init(_ options: WebSocket.Options) { self.options = options }

  /// The connection, once the channel is open.
  var upgraded: (exchange: any Exchange, agreement: WebSocketHandshake.Agreement)? {
    state.withLock { state in
      guard let exchange = state.exchange, let opening = state.opening else { return nil }
      return (exchange, opening.agreement)
    }
  }

  private func openIfReady(after change: (inout State) -> Void) {
    let head = state.withLock { state in
      change(&state)
      return state.exchange == nil ? nil : state.opening?.head
    }
    if let head { channel.open(head) }
  }

  var canBeginAgain: Bool { !channel.isOpen }

  var holdsBack: Bool { true }

  var switchesProtocols: Bool { true }

  /// Each request has a handshake of its own, also one that follows a redirect.
  func open(for request: inout WireRequest.Draft, in context: LoadContext) -> any BodySink {
    let handshake = WebSocketHandshake(options)
    handshake.apply(to: &request.headers)
    request.switchesProtocols = true
    return Sink(self, handshake, url: request.url, context)
  }

  private final class Sink: BodySink {
    private let destination: SocketDestination
    private let handshake: WebSocketHandshake
    private let url: URL
    private let context: LoadContext

    init(
      _ destination: SocketDestination, _ handshake: WebSocketHandshake, url: URL,
      _ context: LoadContext
    ) {
      (self.destination, self.handshake, self.url) = (destination, handshake, url)
      self.context = context
    }

    var offset: Int { 0 }

    func attach(_ exchange: any Exchange) {
      destination.channel.attach(exchange)
      destination.openIfReady { $0 = State(exchange: exchange, opening: $0.opening) }
    }

    func begin(_ head: ResponseHead) throws -> SinkDemand {
      guard head.status == .switchingProtocols else { return .nothing }
      let agreement = try handshake.agreement(head)
      var errorContext = context.errorContext
      errorContext.end(.success(head))
      let opened = StreamHead(url: url, head: head, errorContext: errorContext)
      destination.openIfReady { $0.opening = (opened, agreement) }
      return .body
    }

    func write(_ chunk: Data) throws { try destination.channel.push(chunk) }

    // The end of the load is the end of the connection, so that its error has all the details.
    func finish(_ isWanted: () -> Bool) {}
    func abandon() {}
    func complete(_ response: inout Response) {}
  }
}
