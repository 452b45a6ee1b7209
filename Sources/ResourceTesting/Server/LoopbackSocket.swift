public import ResourceLoading
import ResourcePrimitives

/// The server's end of a WebSocket, for a script of ``Script/socket(subprotocol:compresses:_:)``.
///
/// Its functions block the connection's thread. When the client leaves or the server stops, they
/// throw, and the script ends.
public struct LoopbackSocket {
  private let socket: Socket
  private var bytes: ByteReader
  private var input: WebSocketReader
  private var output: WebSocketWriter
  private var events: [WebSocketReader.Event] = []

  init(_ socket: Socket, _ bytes: ByteReader, compresses: Bool) {
    (self.socket, self.bytes) = (socket, bytes)
    let compression = compresses ? WebSocketCompression() : nil
    input = WebSocketReader(
      limit: .max, isMasked: true, inflater: compression.flatMap { WebSocketInflater($0) })
    output = WebSocketWriter(
      masks: false, deflater: compression.flatMap { WebSocketDeflater($0) })
  }
}

extension LoopbackSocket {
  /// Waits for a message. Pings are answered, and so is the client's close frame.
  ///
  /// - Returns: `nil` when the client closes the socket.
  /// - Throws: If the client leaves without a close frame or breaks the protocol, or the server
  ///   stops.
  public mutating func receive() throws -> WebSocket.Message? {
    while true {
      switch try nextEvent() {
      case .message(let message): return message
      case .ping(let payload): try send(bytes: output.control(.pong, payload))
      case .pong: break
      case .close(let closure):
        try send(bytes: output.close(closure))
        return nil
      }
    }
  }

  /// Waits for anything that the client sends.
  package mutating func nextEvent() throws -> WebSocketReader.Event {
    while events.isEmpty { try input.read(bytes.some(atMost: 64 << 10), into: &events) }
    return events.removeFirst()
  }

  /// Sends a message.
  public mutating func send(_ message: WebSocket.Message) throws {
    try send(bytes: output.frame(message))
  }

  /// Sends a ping.
  public mutating func ping() throws { try send(bytes: output.control(.ping)) }

  /// Sends a close frame; the connection stays open until the end of the script.
  public mutating func close(_ code: WebSocket.CloseCode = .normal, reason: String = "") throws {
    try send(bytes: output.close(WebSocket.Closure(code: code, reason: reason)))
  }

  /// Sends exactly these bytes: half a frame, or something that isn't one.
  public func send(bytes: some Sequence<UInt8>) throws {
    do { try socket.send(Array(bytes)) {} } catch { throw Interruption.peerLeft }
  }
}

extension Script {
  /// Accepts a WebSocket, and runs a closure that speaks for the server.
  ///
  /// ```swift
  /// LoopbackRoute("GET /echo") { _ in
  ///   .socket { socket in
  ///     while let message = try socket.receive() { try socket.send(message) }
  ///   }
  /// }
  /// ```
  ///
  /// The connection is closed when the closure returns or throws. A request that isn't a handshake
  /// gets the status 400.
  ///
  /// - Parameters:
  ///   - subprotocol: The subprotocol of the response; `nil` for none.
  ///   - compresses: Whether messages are compressed if the client offers it.
  ///   - body: Called on the connection's thread.
  public static func socket(
    subprotocol: String? = nil, compresses: Bool = false,
    _ body: @escaping @Sendable (inout LoopbackSocket) throws -> Void
  ) -> Script {
    .proceed { request in
      guard let key = request.header("Sec-WebSocket-Key"),
        request.header("Upgrade")?.lowercased() == "websocket"
      else { return .status(400) }
      let offer = request.header("Sec-WebSocket-Extensions") ?? ""
      let isCompressed = compresses && offer.hasPrefix("permessage-deflate")
      var head = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
      head += "Sec-WebSocket-Accept: \(WebSocketHandshake.acceptance(of: key))\r\n"
      if let subprotocol { head += "Sec-WebSocket-Protocol: \(subprotocol)\r\n" }
      if isCompressed { head += "Sec-WebSocket-Extensions: permessage-deflate\r\n" }
      return [
        .bytes(head + "\r\n"), Script([.converse(compresses: isCompressed, body)]),
      ]
    }
  }
}
