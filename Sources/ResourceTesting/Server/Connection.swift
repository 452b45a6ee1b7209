import ResourcePrimitives

/// One connection from accept to close, on its own thread.
struct Connection {
  let number: Int
  let socket: Socket
  let state: ServerState
  var reader: ByteReader
  var exchange: ServedExchange?
  /// The head of the current request, logged if the request is malformed.
  private var head: [UInt8] = []
  /// Whether the script for new connections is running.
  private var isGreeting = true
  /// Whether the script has ended the server's side of the connection.
  var isHalfClosed = false

  init(_ number: Int, _ socket: Socket, _ state: ServerState) {
    self.number = number
    self.socket = socket
    self.state = state
    reader = ByteReader(socket)
  }

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
      finish(terminationByPeer)
    }
  }

  /// Serves one request; returns `false` if it was the connection's last.
  private mutating func serveRequest() throws -> Bool {
    if isHalfClosed { return try leaveSlowly() }
    head = []
    guard let head = try reader.head() else { throw Interruption.peerLeft }
    self.head = head
    let request = try ReceivedRequest(head: head, connection: number)
    exchange = try ServedExchange(request, log: state.log)
    try answer(request)
    return try endExchange(keepAlive: request.keepsAlive)
  }

  private mutating func answer(_ request: ReceivedRequest) throws {
    guard let route = state.route(for: request) else { throw Interruption.peerLeft }
    if route.timing == .afterBody {
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

  /// Ends the server's side and waits for the peer to end its own. Closing with unread bytes would
  /// send a reset, which may destroy the response before the client has read it (RFC 9112 section
  /// 9.6).
  private mutating func leaveSlowly() throws -> Bool {
    socket.shutDown(.writing)
    try reader.drain()
    return false
  }
}

extension Connection {
  /// Returns the handler's script for the current request, or status 500 with the error it throws.
  func script(_ handler: @Sendable (ReceivedRequest) throws -> Script) -> Script {
    guard let request = exchange?.request else { return [] }
    do {
      return try handler(request)
    } catch {
      return .response(
        status: 500, headers: ["Content-Type": "text/plain"], body: "handler threw: \(error)\n")
    }
  }

  private var terminationByPeer: ReceivedConnection.Termination {
    if state.isStopped { return .byServer }
    return isGreeting || exchange != nil || !reader.isEmpty ? .aborted : .byClient
  }

  private mutating func refuse(_ reason: String) {
    let body = (exchange?.request.rawBody).map(Array.init) ?? []
    state.log.receivedMalformed(
      head + body + (exchange?.body.takeRaw() ?? []) + reader.unused)
    try? play(.response(status: 400, headers: ["Content-Type": "text/plain"], body: reason + "\n"))
    _ = try? leaveSlowly()
    finish(.byServer)
  }

  /// Logs the end before the descriptor is closed, so that a client that sees the end finds it in
  /// the log.
  private mutating func finish(_ termination: ReceivedConnection.Termination) {
    if let exchange, !exchange.request.isComplete { self.exchange?.record() }
    exchange?.end()
    state.disconnect(number)
    state.log.closed(number, termination)
    socket.close()
  }
}

extension Connection {
  mutating func play(_ script: Script) throws {
    var steps = script.steps[...]
    while let step = steps.popFirst() {
      if case .proceed(let handler) = step {
        steps = (self.script(handler).steps + steps)[...]
      } else {
        try play(step, isLast: !steps.contains(where: \.takesTime))
      }
    }
  }

  private mutating func play(_ step: Script.Step, isLast: Bool) throws {
    switch step {
    case .write(let bytes): try write(bytes, isLast: isLast)
    case .respond(let response): try respond(response, isLast: isLast)
    case .drip(let bytes, let size, let interval):
      try drip(bytes, size: size, interval: interval, isLast: isLast)
    case .repeatedly(let bytes, let count): try write(bytes, times: count, isLast: isLast)
    case .pause(let duration): try wait(for: duration)
    case .wait(let gate): try wait(at: gate)
    case .silence: try wait(for: nil)
    case .readBody(let limit, let pace): try readBody(limit: limit, pace: pace)
    case .proceed: break
    case .converse(let compresses, let body):
      var socket = LoopbackSocket(socket, reader, compresses: compresses)
      defer { exchange?.end() }
      try body(&socket)
      throw Interruption.closedByScript
    case .halfClose, .close, .reset: try end(step)
    }
  }

  private mutating func end(_ step: Script.Step) throws {
    if case .halfClose = step {
      isHalfClosed = true
      return socket.shutDown(.writing)
    }
    if case .reset = step { try SystemCalls.resetOnClose(socket.descriptor) }
    throw Interruption.closedByScript
  }
}

extension Connection {
  private mutating func respond(_ response: ScriptedResponse, isLast: Bool) throws {
    let isFinal = response.status >= 200
    try write(response.bytes(answering: exchange?.request.method), isLast: isLast && isFinal)
  }

  /// - Parameter isLast: Whether these bytes complete the response.
  private mutating func write(_ bytes: [UInt8], isLast: Bool) throws {
    do {
      try socket.send(bytes) { if isLast { exchange?.end() } }
    } catch {
      // A response that couldn't be written completely doesn't count as sent.
      throw Interruption.peerLeft
    }
  }

  private mutating func write(_ bytes: [UInt8], times count: Int?, isLast: Bool) throws {
    var written = 0
    while count.map({ written < $0 }) ?? true {
      written += 1
      try write(bytes, isLast: isLast && written == count)
    }
  }

  private mutating func drip(
    _ bytes: [UInt8], size: Int, interval: Duration, isLast: Bool
  ) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = Array(rest.prefix(size))
      rest = rest.dropFirst(size)
      try write(piece, isLast: isLast && rest.isEmpty)
      if !rest.isEmpty { try wait(for: interval) }
    }
  }

  /// Reads at most `limit` bytes of the body and logs them, even if the peer disconnects.
  mutating func readBody(limit: Int, pace: Script.Pace?) throws {
    guard exchange != nil else { return }
    defer { if exchange?.isListed == true { exchange?.record() } }
    var left = limit
    while left > 0, let count = try readSome(atMost: min(left, pace?.size ?? .max)) {
      left -= count
      if let pace, exchange?.body.isFinished == false { try wait(for: pace.interval) }
    }
  }

  private mutating func readSome(atMost limit: Int) throws -> Int? {
    let storedBytes = state.configuration.maximumStoredBodySize
    return try exchange?.read(atMost: limit, from: &reader, storing: storedBytes)
  }
}

extension Connection {
  /// Waits for a duration, or forever with `nil`. The wait ends if the peer disconnects or the
  /// server stops.
  private func wait(for duration: Duration?) throws {
    let event = try SystemCalls.waitForFirst([(socket.descriptor, .hangUp)], timeout: duration)
    if event != nil { throw Interruption.peerLeft }
  }

  private func wait(at gate: Gate) throws {
    gate.countArrival()
    while !gate.isOpen {
      // Without a free descriptor there is no signal, so the gate is polled.
      let signal = try? gate.watchableSignal()
      let event = try SystemCalls.waitForFirst(
        [(socket.descriptor, .hangUp)] + (signal.map { [($0.descriptor, .readable)] } ?? []),
        timeout: signal == nil ? .milliseconds(10) : nil)
      if event == 0 { throw Interruption.peerLeft }
    }
  }
}
