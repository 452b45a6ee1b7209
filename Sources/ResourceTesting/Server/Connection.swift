/// One connection, from accept to close, on a thread of its own.
struct Connection {
  let number: Int
  let socket: Socket
  let state: ServerState
  var reader: ByteReader
  var exchange: ServedExchange?
  /// The script for new connections is being played.
  private var isGreeting = true
  /// The script has ended our side of the connection.
  var isHalfClosed = false

  private static let largestHead = 1 << 20

  init(_ number: Int, _ socket: Socket, _ state: ServerState) {
    self.number = number
    self.socket = socket
    self.state = state
    reader = ByteReader(socket)
  }

  /// Serves the connection until it ends.
  mutating func run() {
    do {
      try play(state.configuration.onAccept(number))
      isGreeting = false
      while try serveRequest() {}
      finish(.byServer)
    } catch Interruption.closedByScript {
      finish(.byServer)
    } catch Interruption.malformed(let reason) {
      refuse(reason)
    } catch {
      finish(endingWhenPeerLeft)
    }
  }

  /// Serves one request; `false` if it was the connection's last.
  private mutating func serveRequest() throws -> Bool {
    if isHalfClosed { return try leaveSlowly() }
    guard let head = try reader.head(limit: Self.largestHead) else {
      throw Interruption.peerLeft
    }
    let request = try ReceivedRequest(head: head, connection: number)
    exchange = try ServedExchange(request, log: state.log)
    try answer(request)
    return try endExchange(keepAlive: request.keepsAlive)
  }

  private mutating func answer(_ request: ReceivedRequest) throws {
    guard let route = state.route(for: request) else { throw Interruption.peerLeft }
    if route.moment == .afterBody {
      if request.expectsContinue { try play(.informational(100)) }
      try readBody(limit: .max, pace: nil)
    }
    exchange?.record()
    try play(script(route.handler))
  }

  private mutating func endExchange(keepAlive: Bool) throws -> Bool {
    exchange?.end()
    let isRead = exchange?.body.isFinished ?? true
    exchange = nil
    return isRead && !isHalfClosed ? keepAlive : try leaveSlowly()
  }

  /// Ends our side and waits for the peer to end its own: closing with something unread would send
  /// a reset, which may destroy the answer before the client has read it (RFC 9112, section 9.6).
  private mutating func leaveSlowly() throws -> Bool {
    socket.shutDown(.writing)
    try reader.drain()
    return false
  }
}

extension Connection {
  /// What `handler` says to the present request, or 500 with the error it throws.
  func script(_ handler: @Sendable (ReceivedRequest) throws -> Script) -> Script {
    guard let request = exchange?.request else { return [] }
    do {
      return try handler(request)
    } catch {
      return .response(
        status: 500, headers: ["Content-Type": "text/plain"], body: "handler threw: \(error)\n")
    }
  }

  private var endingWhenPeerLeft: ReceivedConnection.Ending {
    if state.isStopped { return .byServer }
    return isGreeting || exchange != nil || !reader.isEmpty ? .aborted : .byClient
  }

  private mutating func refuse(_ reason: String) {
    let head = exchange.map { Array($0.request.rawHead) } ?? []
    state.log.receivedMalformed(head + reader.unused)
    try? play(.response(status: 400, headers: ["Content-Type": "text/plain"], body: reason + "\n"))
    _ = try? leaveSlowly()
    finish(.byServer)
  }

  /// Written down before the descriptor is closed: a client that sees the end finds it in the log.
  private mutating func finish(_ ending: ReceivedConnection.Ending) {
    if let exchange, !exchange.request.isComplete { self.exchange?.record() }
    exchange?.end()
    state.disconnect(number)
    state.log.closed(number, ending)
    socket.close()
  }
}
