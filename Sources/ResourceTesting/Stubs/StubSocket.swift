public import ResourceLoading
import ResourcePrimitives

/// A WebSocket that a ``StubTransport`` has opened, as its server sees it.
public struct StubSocket: Sendable {
  /// The request of the handshake.
  public let request: WireRequest

  /// The messages that the client has sent so far.
  public internal(set) var messages: [WebSocket.Message] = []

  /// What the client said when it closed the socket; `nil` before, and if it left without a word.
  public internal(set) var closure: WebSocket.Closure?

  /// Whether the connection still exists.
  public internal(set) var isOpen = true

  init(_ request: WireRequest) { self.request = request }
}

extension StubSocket {
  /// A step of the server of a ``StubAnswer/socket(_:subprotocol:)``.
  public struct Step: Sendable {
    enum Content: Sendable {
      case send(WebSocket.Message)
      case bytes([UInt8])
      case wait(@Sendable () async throws -> Void)
      case receive(@Sendable (WebSocket.Message) -> [Step])
      case close(WebSocket.Closure)
      case silence
      case drop
    }

    let content: Content

    private init(_ content: Content) { self.content = content }
  }
}

extension StubSocket.Step {
  /// Sends a message.
  public static func send(_ message: WebSocket.Message) -> Self { Self(.send(message)) }

  /// Sends exactly these bytes: half a frame, or something that isn't one.
  public static func send(bytes: some Sequence<UInt8>) -> Self { Self(.bytes(Array(bytes))) }

  /// Waits for the next message of the client.
  public static var receive: Self { receive { _ in [] } }

  /// Waits for the next message of the client, and continues with the steps that `answer` returns
  /// for it.
  public static func receive(
    _ answer: @escaping @Sendable (WebSocket.Message) -> [StubSocket.Step]
  ) -> Self {
    Self(.receive(answer))
  }

  /// Does nothing for a while.
  ///
  /// - Parameters:
  ///   - duration: The time. The end of the connection ends it.
  ///   - clock: The clock of the delay; with a ``ManualClock`` no real time passes.
  public static func delay(
    _ duration: Duration, clock: some Clock<Duration> = ContinuousClock()
  ) -> Self {
    let clock = LoadClock(clock)
    return Self(.wait { try await clock.sleep(duration) })
  }

  /// Does nothing until the test opens a gate.
  public static func wait(_ gate: Gate) -> Self { Self(.wait { try await gate.opened() }) }

  /// Sends a close frame. When the client has answered it, the connection ends.
  public static func close(_ code: WebSocket.CloseCode = .normal, reason: String = "") -> Self {
    Self(.close(WebSocket.Closure(code: code, reason: reason)))
  }

  /// Answers neither pings nor a close frame from now on, like a server that is gone.
  public static var silence: Self { Self(.silence) }

  /// Ends the connection without a close frame.
  public static var drop: Self { Self(.drop) }
}
