import Foundation
import Synchronization

/// Takes over the connection of a load whose server switches to WebSocket. The load ends then, and
/// the connection belongs to the destination until it ends.
final class SocketDestination: BodyDestination {
  /// The bytes that the server sends.
  private let channel = StreamChannel()
  private let options: WebSocket.Options
  private let state = Mutex(State())

  typealias Watcher = @Sendable ((any Error)?) -> Void

  /// The head that has opened the connection, and what it agrees on.
  struct Opening: Sendable {
    var head: StreamHead
    var agreement: WebSocketHandshake.Agreement
  }

  private struct State {
    /// `nil` after the end.
    var exchange: (any Exchange)?
    var opening: Opening?
    /// Whether the client has ended the load, so that no connection may open anymore.
    var isRefused = false
    var watchers: [Watcher] = []
    /// The end, with its error; `nil` before.
    var end: Result<Void, any Error>?
  }

  init(_ options: WebSocket.Options) { self.options = options }

  /// How the connection was opened; `nil` before that.
  var opening: Opening? { state.withLock { $0.opening } }

  var canBeginAgain: Bool { opening == nil }

  var holdsBack: Bool { true }

  var switchesProtocols: Bool { true }

  /// Each request has a handshake of its own, also one that follows a redirect.
  func open(
    for request: inout WireRequest.Draft, in context: LoadContext
  ) throws -> any BodySink {
    guard canBeginAgain else { throw LoadError.openAlready }
    let handshake = WebSocketHandshake(options)
    handshake.apply(to: &request.headers)
    request.switchesProtocols = true
    return Sink(self, handshake, url: request.url, context)
  }
}

extension SocketDestination {
  /// Returns the next bytes; `nil` at the end.
  func next() async throws -> Data? { try await channel.next() }

  /// Sends bytes, as ``Exchange/send(_:whenTaken:)`` does.
  func send(_ bytes: Data, whenTaken report: @escaping @Sendable (Bool) -> Void) {
    guard let exchange = state.withLock(\.exchange) else { return report(false) }
    exchange.send(bytes, whenTaken: report)
  }

  /// Adds to an error what is known of the handshake.
  func explain(_ error: any Error) -> any Error {
    guard let error = error as? LoadError, let opening else { return error }
    return opening.head.errorContext.explain(error)
  }
}

extension SocketDestination {
  /// Calls a closure when the connection has ended, although its bytes may not have been read yet.
  func atEnd(_ watcher: @escaping Watcher) {
    let end = state.withLock { state in
      if state.end == nil { state.watchers.append(watcher) }
      return state.end
    }
    if let end { watcher(end.error) }
  }

  /// Ends the connection, unless it has ended. What has arrived can still be read, unless the error
  /// is a cancellation.
  func end(with error: (any Error)?) {
    let ended = state.withLock { state -> State? in
      guard state.end == nil else { return nil }
      defer { (state.exchange, state.watchers) = (nil, []) }
      state.end = error.map { .failure($0) } ?? .success(())
      return state
    }
    guard let ended else { return }
    ended.exchange?.cancel()
    channel.end(error)
    for watcher in ended.watchers { watcher(error) }
  }

  func end(for reason: any Error) {
    let isOpen = state.withLock { state in
      state.isRefused = true
      return state.opening != nil
    }
    if isOpen { end(with: explain(reason)) }
  }

  private func attach(_ exchange: any Exchange) {
    let isWanted = state.withLock { state in
      if state.end == nil { state.exchange = exchange }
      return state.end == nil
    }
    if isWanted { channel.attach(exchange) } else { exchange.cancel() }
  }

  private func open(_ opening: Opening) throws {
    try state.withLock { state in
      guard !state.isRefused, state.end == nil else { throw CancellationError() }
      state.opening = opening
    }
  }
}

extension SocketDestination {
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

    func attach(_ exchange: any Exchange) { destination.attach(exchange) }

    func begin(_ head: ResponseHead) throws -> SinkDemand {
      guard head.status == .switchingProtocols else { return .nothing }
      let agreement = try handshake.agreement(head)
      var errorContext = context.errorContext
      errorContext.end(.success(head))
      let opened = StreamHead(url: url, head: head, errorContext: errorContext)
      try destination.open(Opening(head: opened, agreement: agreement))
      return .connection
    }

    func write(_ chunk: Data) {
      do { try destination.channel.push(chunk) } catch {
        destination.end(with: destination.explain(error))
      }
    }

    func connectionEnded(_ failure: LoadError?) {
      destination.end(with: failure.map { destination.explain($0) })
    }

    func finish(_ isWanted: () -> Bool) {}
    func abandon() {}
    func complete(_ response: inout Response) {}
  }
}

extension LoadError {
  fileprivate static let openAlready = LoadError(
    .middleware, "a middleware sent the handshake again, although its socket was open")
}

extension Result<Void, any Error> {
  fileprivate var error: (any Error)? { if case .failure(let error) = self { error } else { nil } }
}
