public import Foundation
public import PromiseModule
import ResourceJSON
import ResourcePrimitives
import Synchronization

extension WebSocket {
  /// A socket that is open.
  ///
  /// Messages are read while there is room for them: when more than 256 KiB wait for a reader, no
  /// more are taken from the connection. Pings of the server are answered until then.
  ///
  /// All members may be used from any thread. When the last reference is gone, the socket is closed
  /// with ``WebSocket/CloseCode/goingAway``, within ``WebSocket/Options/closeTimeout``; nothing waits
  /// for that.
  public final class Connection: Sendable {
    /// The URL that answered, after redirects.
    public let url: URL

    /// The headers of the server's handshake.
    public let headers: Headers

    /// The subprotocol that the server has chosen; `nil` for none.
    public let subprotocol: String?

    private let core: SocketCore
    private let secretNames: Set<String>?

    init(_ core: SocketCore, _ head: StreamHead, subprotocol: String?, secretNames: Set<String>?) {
      (url, headers, self.subprotocol) = (head.url, head.head.headers, subprotocol)
      (self.core, self.secretNames) = (core, secretNames)
    }

    deinit { core.leave() }
  }
}

// MARK: - Sending

extension WebSocket.Connection {
  /// Sends a message, and waits until the system has taken it.
  ///
  /// - Parameter message: The message. Messages of several callers are sent whole, in the order of
  ///   the calls.
  /// - Throws: ``LoadError`` of kind ``LoadError/Kind/closed`` if the socket is closed, or of kind
  ///   ``LoadError/Kind/connection`` if the connection ends before it has taken the message:
  ///   whether the server has it isn't known then. `CancellationError` if the task is cancelled:
  ///   before the call, the message isn't sent; later, it is.
  public func send(_ message: WebSocket.Message) async throws { try await core.send(message) }

  /// Sends a value as JSON, in a text.
  ///
  /// - Parameter value: The value.
  /// - Throws: ``LoadError`` of kind ``LoadError/Kind/invalidRequest`` if the value can't be
  ///   encoded, and what ``send(_:)`` throws.
  public func send(json value: some Encodable) async throws {
    let bytes: Data
    do {
      bytes = try JSONWriter(core.encoder).encode(value)
    } catch {
      throw core.explain(LoadError(encoding: error))
    }
    try await send(.text(String(decoding: bytes, as: UTF8.self)))
  }

  /// Sends a message, after all those of earlier calls.
  ///
  /// - Parameter message: The message. It is sent even if the promise is cancelled.
  /// - Returns: A promise that is fulfilled when the system has taken the message, or rejected with
  ///   what ``send(_:)`` throws.
  @discardableResult
  public func promise(sending message: WebSocket.Message) -> Promise<Void> {
    let (promise, resolver) = Promise<Void>.pending()
    core.send(message) { [core] error in
      if let error { resolver.reject(core.explain(error)) } else { resolver.fulfill(()) }
    }
    return promise
  }

  /// The messages that were sent and that the system hadn't taken when the connection ended, in
  /// their order: the server may or may not have them, or a part of the first. Empty while the
  /// socket is open.
  public var undelivered: [WebSocket.Message] { core.undelivered }

  /// Sends a ping and waits for its pong, or for that of a later ping. While messages wait for a
  /// reader, pongs behind them aren't read: if none is read for two
  /// ``WebSocket/Options/pingInterval``s, the ping fails.
  ///
  /// - Returns: The time that it took.
  /// - Throws: ``LoadError`` of kind ``LoadError/Kind/closed`` or ``LoadError/Kind/connection`` if
  ///   the socket ends meanwhile, or of kind ``LoadError/Kind/timedOut`` if messages weren't read;
  ///   `CancellationError` if the task is cancelled.
  @discardableResult
  public func ping() async throws -> Duration { try await core.ping() }
}

// MARK: - Reading

extension WebSocket.Connection {
  /// The messages, for one reader at a time. They end when the socket is closed; an error ends them
  /// if it was closed for anything else than ``WebSocket/CloseCode/normal`` or
  /// ``WebSocket/CloseCode/goingAway``, or if the connection failed.
  public var messages: Messages { Messages(core: core) }

  /// Messages as they arrive.
  public struct Messages: AsyncSequence, Sendable {
    fileprivate let core: SocketCore

    /// Begins or continues to read.
    public func makeAsyncIterator() -> Iterator { Iterator(core: core) }

    /// Reads message by message.
    public struct Iterator: AsyncIteratorProtocol {
      fileprivate let core: SocketCore

      /// Returns the next message.
      ///
      /// - Returns: `nil` when the socket is closed.
      /// - Throws: ``LoadError``; `CancellationError` if the task is cancelled, which leaves the
      ///   socket open.
      public mutating func next() async throws -> WebSocket.Message? { try await core.next() }
    }
  }
}

// MARK: - The end

extension WebSocket.Connection {
  /// Closes the socket: sends a close frame, waits for that of the server, and ends the connection
  /// after ``WebSocket/Options/closeTimeout`` at the latest, also if the calling task is cancelled.
  /// Closing again waits for the same end.
  ///
  /// - Parameters:
  ///   - code: The code, one that may be sent: 1000 to 1003, 1007 to 1014, or 3000 to 4999.
  ///   - reason: The reason in words. What exceeds 123 bytes is cut off.
  public func close(_ code: WebSocket.CloseCode = .normal, reason: String = "") async {
    precondition(code.maySend, "the close code \(code.rawValue) can't be sent")
    await core.close(WebSocket.Closure(code: code, reason: reason))
  }

  /// What the server has said when it closed the socket; `nil` before, and if it said nothing.
  public var closure: WebSocket.Closure? { core.closure }

  /// Waits until the socket has ended, without reading its messages.
  ///
  /// - Returns: What the server has said; `nil` if it said nothing.
  /// - Throws: What ends ``messages`` with an error; `CancellationError` if the task is cancelled,
  ///   which leaves the socket open.
  @discardableResult
  public func waitForEnd() async throws -> WebSocket.Closure? { try await core.waitForEnd() }

  /// A promise for the end of the socket: fulfilled with what the server has said, or rejected with
  /// what ``waitForEnd()`` throws. It doesn't keep the socket open.
  public var end: Promise<WebSocket.Closure?> {
    Promise { [core] in try await core.waitForEnd() }
  }
}

extension WebSocket.Connection: CustomStringConvertible, CustomReflectable {
  /// The URL in a line, `WebSocket.Connection(https://example.org/live)`, without secrets.
  public var description: String { "WebSocket.Connection(\(shownURL))" }

  /// Shows the handshake without secrets.
  public var customMirror: Mirror {
    let children: KeyValuePairs<String, Any> = [
      "url": shownURL, "headers": headers.redacted(secretNames: secretNames),
      "subprotocol": subprotocol as Any,
    ]
    return Mirror(self, children: children)
  }

  private var shownURL: String {
    url.absoluteString.redactedURL(secretNames: secretNames).printable
  }
}

/// The working part of a connection, which its tasks keep.
final class SocketCore: Sendable {
  let encoder: JSONEncoder
  let decoder: JSONDecoder
  private let connection: SocketDestination
  private let options: WebSocket.Options
  private let clock: LoadClock
  private let machine: Mutex<WebSocketMachine>
  private let work = Mutex(Work())

  /// What runs as long as the connection.
  private struct Work {
    var pump: Task<Void, Never>?
    /// The next ping, or the check for its answer.
    var watch: DeadlineTimer?
    /// The end of a close that the server doesn't answer.
    var closing: DeadlineTimer?
  }

  init(
    _ connection: SocketDestination, _ client: any SocketClient, _ options: WebSocket.Options,
    _ compression: WebSocketCompression?
  ) {
    (self.connection, self.options) = (connection, options)
    (clock, encoder, decoder) = (client.clock, client.encoder, client.decoder)
    machine = Mutex(WebSocketMachine(options, compression))
  }

  /// Begins to read, and to watch whether the server is there.
  func begin() {
    let task = Task(executorPreference: SimulatedExecution.executor) { [self] in await pump() }
    keep { $0.pump = task }
    connection.atEnd { [self] error in act(on: machine.withLock { $0.connectionEnded(error) }) }
    if let interval = options.pingInterval { watch(every: max(interval, .milliseconds(1))) }
  }

  var closure: WebSocket.Closure? { machine.withLock { $0.closure } }

  var undelivered: [WebSocket.Message] { machine.withLock { $0.undelivered } }

  /// Adds to an error what is known of the handshake.
  func explain(_ error: any Error) -> any Error { connection.explain(error) }

  /// Keeps work that ends with the connection.
  private func keep(_ change: (inout Work) -> Void) {
    work.withLock { change(&$0) }
    if machine.withLock({ $0.isOver }) { endWork() }
  }

  private func endWork() {
    let ended = work.withLock { work in
      defer { work = Work() }
      return work
    }
    ended.pump?.cancel()
    ended.watch?.cancel()
    ended.closing?.cancel()
  }

  private func act(on action: WebSocketMachine.Action) {
    for wake in action.wakes { wake() }
    if action.sends { flush() }
    if action.closes { closeInTime() }
    if action.ends {
      connection.end(with: CancellationError())
      endWork()
    }
  }

  private func end(_ error: (any Error)?) { act(on: machine.withLock { $0.end(error) }) }

  /// Waits for what the machine reports under a ticket.
  private func wait(
    _ begin: (_ ticket: Int, _ waiter: @escaping WebSocketMachine.Waiter) -> Void
  ) async throws {
    let ticket = machine.withLock { $0.ticket() }
    do {
      try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation {
          (continuation: CheckedContinuation<Void, any Error>) in
          begin(ticket) { error in
            if let error { continuation.resume(throwing: error) } else { continuation.resume() }
          }
          if Task.isCancelled { act(on: machine.withLock { $0.cancel(ticket) }) }
        }
      } onCancel: {
        act(on: machine.withLock { $0.cancel(ticket) })
      }
    } catch {
      throw explain(error)
    }
  }
}

// MARK: - Reading

extension SocketCore {
  private func pump() async {
    do {
      while let piece = try await connection.next() {
        act(on: machine.withLock { $0.receive(piece) })
        if machine.withLock({ $0.isFull }) {
          await withCheckedContinuation { pump in act(on: machine.withLock { $0.wait(pump) }) }
        }
      }
      end(nil)
    } catch {
      end(error)
    }
  }

  func next() async throws -> WebSocket.Message? {
    do {
      return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { reader in
          act(on: machine.withLock { $0.read(reader) })
          if Task.isCancelled { act(on: machine.withLock { $0.cancelReader() }) }
        }
      } onCancel: {
        act(on: machine.withLock { $0.cancelReader() })
      }
    } catch {
      throw explain(error)
    }
  }
}

// MARK: - Sending

extension SocketCore {
  func send(_ message: WebSocket.Message) async throws {
    try Task.checkCancellation()
    try await wait { ticket, waiter in
      act(on: machine.withLock { $0.send(message, as: ticket, waiter) })
    }
  }

  /// Sends a message in the order of the calls.
  ///
  /// - Parameter waiter: Called when the system has taken it, or with an error.
  func send(_ message: WebSocket.Message, _ waiter: @escaping WebSocketMachine.Waiter) {
    act(on: machine.withLock { $0.send(message, as: $0.ticket(), waiter) })
  }

  func ping() async throws -> Duration {
    try Task.checkCancellation()
    let start = clock.now()
    try await wait { ticket, waiter in
      act(on: machine.withLock { $0.ping(as: ticket, waiter) })
    }
    return clock.now() - start
  }

  /// Hands frames to the connection, in order. One caller at a time is here.
  private func flush() {
    while let frame = machine.withLock({ $0.nextFrame() }) {
      connection.send(frame.bytes) { [self, origin = frame.origin] isTaken in
        act(on: machine.withLock { $0.taken(origin, isTaken) })
      }
    }
  }
}

// MARK: - The end

extension SocketCore {
  func close(_ closure: WebSocket.Closure) async {
    await withCheckedContinuation { waiter in
      act(on: machine.withLock { $0.close(closure, waiter) })
    }
  }

  /// Closes the socket, which nobody uses anymore.
  func leave() { act(on: machine.withLock { $0.leave() }) }

  func waitForEnd() async throws -> WebSocket.Closure? {
    try await wait { ticket, waiter in
      act(on: machine.withLock { $0.waitForEnd(as: ticket, waiter) })
    }
    return closure
  }

  private func closeInTime() {
    let closing = timer(in: options.closeTimeout) { $0.end(nil) }
    keep { $0.closing = closing }
  }

  /// Pings the server, and ends the connection if nothing arrives from it.
  private func watch(every interval: Duration) {
    let ping = timer(in: interval) { core in
      let before = core.machine.withLock { $0.progress }
      core.act(on: core.machine.withLock { $0.ping(as: $0.ticket(), nil) })
      let check = core.timer(in: interval) { core in
        core.act(
          on: core.machine.withLock { $0.judgeSilence(since: before, for: interval * 2) })
        core.watch(every: interval)
      }
      core.keep { $0.watch = check }
    }
    keep { $0.watch = ping }
  }

  private func timer(
    in duration: Duration, _ body: @escaping @Sendable (SocketCore) -> Void
  ) -> DeadlineTimer {
    DeadlineTimer(at: clock.now() + duration.countable, on: clock) { [self] in body(self) }
  }
}
