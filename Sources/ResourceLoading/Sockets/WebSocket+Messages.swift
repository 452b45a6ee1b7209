import Foundation
public import PromiseModule
import ResourceJSON
import ResourcePrimitives

extension WebSocket {
  /// Returns the messages of the socket, which is opened when the sequence is iterated, and again
  /// when it breaks.
  ///
  /// ```swift
  /// let messages = client.socket(.get("/live")).messages { connection in
  ///   try await connection.send("subscribe")
  /// }
  /// for try await message in messages { print(message) }
  /// ```
  ///
  /// What the server has sent between two connections is lost unless `onConnect` asks for it. The
  /// sequence ends when the server closes the socket with ``CloseCode/normal`` or without a code.
  /// It ends with an error if the handshake fails for good, such as with a status that isn't
  /// transient, if the server closes the socket for another reason than ``CloseCode/goingAway``,
  /// ``CloseCode/internalError``, ``CloseCode/serviceRestart`` and ``CloseCode/tryAgainLater``, and
  /// after as many failures in a row without a message as the policy allows.
  ///
  /// - Parameters:
  ///   - policy: How often and after which pauses the socket is opened again. `Retry-After` of a
  ///     handshake that was refused lengthens a pause; more than a minute ends the sequence.
  ///   - onConnect: Called with each new connection before its messages are read, to say what is
  ///     wanted: to subscribe, or to resume after the last message. An error counts as one of the
  ///     connection.
  ///   - onPhase: Called when the state of the connection changes, for user interfaces.
  /// - Returns: The messages; each iterator opens a connection of its own. When it is gone, or its
  ///   task is cancelled, the socket is closed with ``CloseCode/goingAway``.
  public func messages(
    reconnecting policy: RetryPolicy = reconnectionPolicy,
    onConnect: @escaping @Sendable (Connection) async throws -> Void = { _ in },
    onPhase: @escaping @Sendable (Phase) -> Void = { _ in }
  ) -> Messages {
    Messages(socket: self, policy: policy, onConnect: onConnect, onPhase: onPhase)
  }

  /// Returns the messages of the socket as values in JSON, texts and bytes alike; see
  /// ``messages(reconnecting:onConnect:onPhase:)``.
  ///
  /// - Parameters:
  ///   - type: The type of the values.
  ///   - policy: How often and after which pauses the socket is opened again.
  ///   - onConnect: Called with each new connection.
  ///   - onPhase: Called when the state of the connection changes.
  /// - Returns: The values. A message that isn't one ends the sequence with an error of kind
  ///   ``LoadError/Kind/parsing``.
  public func values<Value: Decodable & Sendable>(
    of type: Value.Type = Value.self, reconnecting policy: RetryPolicy = reconnectionPolicy,
    onConnect: @escaping @Sendable (Connection) async throws -> Void = { _ in },
    onPhase: @escaping @Sendable (Phase) -> Void = { _ in }
  ) -> AsyncThrowingMapSequence<Messages, Value> {
    let (request, decoder) = (request, client.decoder)
    let messages = messages(reconnecting: policy, onConnect: onConnect, onPhase: onPhase)
    return messages.map { try $0.value(with: decoder, of: request) }
  }

  /// Up to five failures in a row; the pauses grow from a second to a minute, and up to a half of
  /// each is random, so that the clients of a server that restarts don't come back together.
  public static let reconnectionPolicy = RetryPolicy(
    maximumAttempts: 6,
    backoff: Backoff(base: .seconds(1), factor: 2, maximum: .seconds(60), jitter: .equal))

  /// The state of a connection that is opened again when it breaks.
  public enum Phase: Sendable, Hashable {
    /// The handshake runs.
    case connecting
    /// Messages can arrive.
    case open
    /// The connection has broken; another one is opened after a pause.
    case waiting(Duration)
    /// The sequence has ended.
    case closed
  }
}

extension WebSocket {
  /// The messages of a socket that is opened again when it breaks; see
  /// ``messages(reconnecting:onConnect:onPhase:)``.
  public struct Messages: AsyncSequence, Sendable {
    fileprivate let socket: WebSocket
    fileprivate let policy: RetryPolicy
    fileprivate var onConnect: @Sendable (Connection) async throws -> Void
    fileprivate let onPhase: @Sendable (Phase) -> Void

    /// Begins to listen.
    public func makeAsyncIterator() -> Iterator { Iterator(messages: self) }

    /// Returns the same messages, which call a closure whenever the socket has been opened, after
    /// `onConnect` and before the messages of the connection.
    package func onOpen(_ body: @escaping @Sendable () async -> Void) -> Messages {
      var messages = self
      messages.onConnect = { [onConnect] connection in
        try await onConnect(connection)
        await body()
      }
      return messages
    }

    /// Reads message by message.
    public struct Iterator: AsyncIteratorProtocol {
      private let messages: Messages
      private var connection: Connection?
      /// The number of failures since the last message, and when the first of them was.
      private var failures = 0
      private var firstFailure = Duration.zero
      private var isOver = false
      private var generator = SystemRandomNumberGenerator()
      private let signals: ReconnectionSignals?

      fileprivate init(messages: Messages) {
        self.messages = messages
        signals = messages.socket.signals.map(ReconnectionSignals.init)
      }

      /// Returns the next message.
      ///
      /// - Returns: `nil` once the server has closed the socket.
      /// - Throws: ``LoadError`` if the socket can't be opened or fails too often;
      ///   `CancellationError` if the task is cancelled.
      public mutating func next() async throws -> Message? {
        while !isOver {
          do {
            if let message = try await nextOfThisConnection() { return message }
            end()
          } catch {
            try await wait(after: error)
          }
        }
        return nil
      }

      private mutating func nextOfThisConnection() async throws -> Message? {
        let connection = try await open()
        var arriving = connection.messages.makeAsyncIterator()
        if let message = try await arriving.next() {
          failures = 0
          return message
        }
        guard let closure = connection.closure, closure.mayPass else { return nil }
        throw LoadError(.connection, "the server closed the socket: \(closure)")
      }

      private mutating func open() async throws -> Connection {
        if let connection { return connection }
        messages.onPhase(.connecting)
        let connection = try await messages.socket.connect()
        self.connection = connection
        try await messages.onConnect(connection)
        messages.onPhase(.open)
        return connection
      }

      private mutating func end() {
        (isOver, connection) = (true, nil)
        messages.onPhase(.closed)
      }

      private mutating func wait(after error: any Error) async throws {
        guard let failure = error as? LoadError, let pause = pause(after: failure) else {
          end()
          throw error
        }
        let isNetwork =
          [.connection, .timedOut].contains(failure.kind) && connection?.closure == nil
        connection = nil
        messages.onPhase(.waiting(pause))
        do {
          try await rest(for: pause, endingOn: isNetwork ? signals : nil)
        } catch {
          end()
          throw error
        }
      }

      private func rest(for pause: Duration, endingOn signals: ReconnectionSignals?) async throws {
        let socket = messages.socket
        let rest = { @Sendable in
          try await socket.client.pause(for: pause, before: socket.request)
        }
        guard let signals else { return try await rest() }
        try await signals.wait(for: rest)
      }

      /// The time until another connection; `nil` for none.
      private mutating func pause(after error: LoadError) -> Duration? {
        let clock = messages.socket.client.clock
        if failures == 0 { firstFailure = clock.now() }
        failures += 1
        let rule = RetryRule(
          policy: messages.policy, statuses: Status.transient, maximumRetryAfter: .seconds(60))
        let timing = RetryRule.Timing(
          failures: failures, elapsed: clock.now() - firstFailure, date: clock.date())
        let mayPass = connection?.closure?.mayPass ?? false
        let failure = mayPass ? LoadError(.connection, error.reason) : error
        guard case .retry(let pause, _) = rule.decide(after: failure, at: timing, using: &generator)
        else { return nil }
        return pause
      }
    }
  }
}

extension WebSocket.Closure {
  /// Whether another connection may do better.
  fileprivate var mayPass: Bool {
    switch code {
    case .goingAway?, .internalError?, .serviceRestart?, .tryAgainLater?: true
    default: false
    }
  }
}

extension WebSocket.Message {
  /// Returns the value in JSON.
  fileprivate func value<Value: Decodable & Sendable>(
    with decoder: JSONDecoder, of request: Request
  ) throws -> Value {
    let data =
      switch self {
      case .text(let text): Data(text.utf8)
      case .binary(let data): data
      }
    do {
      return try decoder.read(Value.self, from: data)
    } catch {
      let response = Response(url: request.url, body: data)
      let failure =
        (error as? DecodingError).map { LoadError(decoding: $0, of: Value.self, in: response) }
        ?? LoadError(parser: error)
      throw ErrorContext(request).explain(failure)
    }
  }
}

// MARK: - Callbacks and promises

extension WebSocket {
  /// What ``listen(on:reconnecting:onConnect:onPhase:callback:)`` reports.
  public enum Event: Sendable {
    /// A message has arrived.
    case message(Message)
    /// There are no more messages, with the reason if it is an error; the last event.
    case ended((any Error)?)
  }

  /// Calls back with the messages of the socket, which is opened at once, and again when it breaks;
  /// see ``messages(reconnecting:onConnect:onPhase:)``.
  ///
  /// ```swift
  /// let task = client.socket(.get("/live")).listen(on: DispatchQueue.main) { event in
  ///   print(event)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - executor: The executor of `callback`; `nil` for the client's
  ///     ``Client/Configuration/callbackExecutor``.
  ///   - policy: How often and after which pauses the socket is opened again.
  ///   - onConnect: Called with each new connection.
  ///   - onPhase: Called when the state of the connection changes.
  ///   - callback: Called with one event after another; while it runs, no further message is read.
  ///     The last call has ``Event/ended(_:)``.
  /// - Returns: The task that listens. Cancelling it closes the socket with
  ///   ``CloseCode/goingAway``: the callback gets `CancellationError`, unless it has been called for
  ///   the last time.
  @discardableResult
  public func listen(
    on executor: (any PromiseExecutor)? = nil,
    reconnecting policy: RetryPolicy = reconnectionPolicy,
    onConnect: @escaping @Sendable (Connection) async throws -> Void = { _ in },
    onPhase: @escaping @Sendable (Phase) -> Void = { _ in },
    callback: @escaping @Sendable (Event) -> Void
  ) -> Task<Void, Never> {
    let executor = executor ?? client.callbackExecutor
    let messages = messages(reconnecting: policy, onConnect: onConnect, onPhase: onPhase)
    return Task(executorPreference: SimulatedExecution.executor) {
      let failure: (any Error)?
      do {
        for try await message in messages {
          await withCheckedContinuation { returned in
            executor.schedule {
              callback(.message(message))
              returned.resume()
            }
          }
        }
        failure = nil
      } catch {
        failure = error
      }
      executor.schedule { callback(.ended(failure)) }
    }
  }

  /// A promise for a connection, which is opened at once.
  ///
  /// - Returns: A promise that is fulfilled once the handshake is complete, or rejected with what
  ///   ``connect()`` throws. Cancelling it ends the handshake.
  public func promise() -> Promise<Connection> { Promise { try await connect() } }
}
