import CSimulation
import Foundation
import ResourceLoading

/// How bad a network is for sockets, in thousandths of the connections.
struct SocketWeather {
  /// Those that never come about.
  var loss = 0
  /// Those whose handshake is refused for now.
  var refusals = 0
  /// Those that are cut.
  var cuts = 0
  /// Those over which nothing passes from some moment on.
  var stalls = 0
  var latency = 20 * millisecond

  static let fine = SocketWeather(latency: millisecond)
}

/// A server of sockets, which says and hears texts with the number of the connection and their own.
final class SocketServer: @unchecked Sendable {
  /// One connection.
  struct Record {
    /// Who has begun it.
    var user: String
    /// The texts that have arrived whole at the client.
    var delivered = 0
    /// The texts of the client that have arrived.
    var heard: [String] = []
    /// The texts that the system has taken from the client.
    var taken: [String] = []
    /// Why the transport has ended it.
    var end: LoadError??
    /// When the transport has ended it.
    var ended: Nanoseconds = 0
    /// The code with which the server has closed it, if that has arrived at the client.
    var code: Int?
    var isCancelled = false
  }

  unowned let world: World
  var weather = SocketWeather()
  var records: [Record] = []
  var running: [Int: SimulatedSocket] = [:]

  // What the server does.
  /// The largest number of texts that it sends over a connection.
  var maximumTexts = 20
  var gap = 50 * millisecond
  /// In thousandths: those that are long.
  var longTexts = 0
  var closeCodes: [Int?] = [1000]
  /// In thousandths of the connections: the server doesn't answer a close frame.
  var deaf = 0

  init(_ world: World) { self.world = world }

  func begin(_ request: WireRequest) -> Int {
    records.append(Record(user: request.headers["X-User"] ?? ""))
    return records.count - 1
  }

  static func text(_ connection: Int, _ number: Int, isLong: Bool) -> String {
    "\(connection) \(number) " + String(repeating: "x", count: isLong ? 90_000 : number % 7)
  }
}

/// A network before a server of sockets, with every freedom that the seam gives an engine.
final class SimulatedSocketTransport: Transport {
  private let server: SocketServer

  init(_ server: SocketServer) { self.server = server }

  var canSwitchProtocols: Bool { true }

  func start(_ request: WireRequest, receiver: any ExchangeReceiver) -> any Exchange {
    let socket = SimulatedSocket(server, request, receiver)
    socket.begin()
    return socket
  }
}

/// The thread of an engine, on which one call follows another also where threads take turns.
private final class EngineThread: @unchecked Sendable {
  private var waiting: [() -> Void] = []
  private var isRunning = false

  func run(_ body: @escaping () -> Void) {
    waiting.append(body)
    guard !isRunning else { return }
    isRunning = true
    while !waiting.isEmpty { waiting.removeFirst()() }
    isRunning = false
  }
}

/// One direction of a connection: what was sent first arrives first, also within a nanosecond.
private final class Line: @unchecked Sendable {
  private let thread: EngineThread
  private var arrival: Nanoseconds = 0
  private var waiting: [() -> Void] = []

  init(_ thread: EngineThread) { self.thread = thread }

  func send(within time: Nanoseconds, _ arrived: @escaping () -> Void) {
    arrival = max(arrival, sim_now() + time)
    waiting.append(arrived)
    after(arrival - sim_now()) { [self] in thread.run(waiting.removeFirst()) }
  }
}

/// The connection of a handshake.
final class SimulatedSocket: Exchange, @unchecked Sendable {
  private typealias Report = @Sendable (Bool) -> Void

  private let server: SocketServer
  private let request: WireRequest
  private var receiver: (any ExchangeReceiver)?
  let number: Int
  private var isOver = false
  private(set) var isCancelled = false
  private var isStalled = false
  private var isPaused = false
  private let canPause = chance(700)
  /// What waits until the client reads on.
  private var held: [() -> Void] = []
  /// What is on the way, in each direction.
  private let inwards: Line
  private let outwards: Line
  private let thread = EngineThread()
  /// What the system hasn't taken.
  private var untaken: [(bytes: Data, report: Report)] = []
  private var isTaking = false
  private var reader = SocketFrameReader()
  private var hasSentClose = false
  private var isDeaf: Bool

  init(_ server: SocketServer, _ request: WireRequest, _ receiver: any ExchangeReceiver) {
    (self.server, self.request, self.receiver) = (server, request, receiver)
    (inwards, outwards) = (Line(thread), Line(thread))
    number = server.begin(request)
    isDeaf = chance(server.deaf)
  }

  /// How long something is under way, one way.
  private var way: Nanoseconds { latency(server.weather.latency) }

  private func note(_ text: @autoclosure () -> String) {
    server.world.note("connection \(number): \(text())")
  }

  /// Does something on the engine's thread.
  private func later(_ delay: Nanoseconds, _ body: @escaping () -> Void) {
    after(delay) { [thread] in thread.run(body) }
  }

  func begin() {
    server.running[number] = self
    note("begins")
    let weather = server.weather
    if chance(weather.loss) {
      return later(way) { [self] in end(LoadError(.connection, "the connection was lost")) }
    }
    if chance(weather.refusals) {
      return later(way) { [self] in
        guard !isOver, !isCancelled else { return }
        receiver?.received(ResponseHead(status: 503, headers: Headers()))
        end(nil)
      }
    }
    if chance(20) { return thread.run { [self] in open() } }
    later(way) { [self] in if !isOver, !isCancelled { open() } }
  }

  private func open() {
    let key = (request.headers["Sec-WebSocket-Key"] ?? "") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
    var headers = Headers()
    headers["Upgrade"] = "websocket"
    headers["Connection"] = "Upgrade"
    headers["Sec-WebSocket-Accept"] = sha1(key).base64EncodedString()
    headers["X-Connection"] = "\(number)"
    note("is open")
    receiver?.received(ResponseHead(status: 101, headers: headers))
    say(0, of: 1 + pick(server.maximumTexts))
    let weather = server.weather
    let life = Nanoseconds(pick(2_000_000)) * microsecond
    if chance(weather.cuts) { later(life) { [self] in cut() } }
    if chance(weather.stalls) {
      after(life) { [self] in
        note("is stalled")
        isStalled = true
      }
    }
  }
}

// MARK: - What the server says

extension SimulatedSocket {
  private func say(_ index: Int, of count: Int) {
    guard !isOver, !hasSentClose else { return }
    guard index < count else { return close(pick(of: server.closeCodes)) }
    let isLong = chance(server.longTexts)
    let frame = SocketFrame.text(SocketServer.text(number, index, isLong: isLong))
    if chance(100) { send(.ping("are you there")) }
    send(frame, dividing: chance(200)) { [self] in server.records[number].delivered += 1 }
    after(latency(server.gap)) { [self] in say(index + 1, of: count) }
  }

  private func close(_ code: Int?) {
    guard !hasSentClose else { return }
    hasSentClose = true
    note("the server closes it: \(code.map(String.init) ?? "no code")")
    send(.close(code)) { [self] in server.records[number].code = code ?? 1005 }
  }

  /// Sends a frame in pieces.
  private func send(
    _ frame: SocketFrame, dividing divides: Bool = false, _ arrived: @escaping () -> Void = {}
  ) {
    let bytes = frame.bytes(dividing: divides)
    let cut = chance(300) ? 1 + pick(bytes.count) : bytes.count
    deliver(bytes.prefix(cut)) { if cut == bytes.count { arrived() } }
    if cut < bytes.count { deliver(bytes.dropFirst(cut), arrived) }
  }

  private func deliver(_ bytes: Data, _ arrived: @escaping () -> Void) {
    inwards.send(within: way) { [self] in
      pass { [self] in
        guard !isOver, !isStalled, !isCancelled || chance(300) else { return }
        receiver?.received(Data(bytes))
        arrived()
      }
    }
  }

  private func pass(_ body: @escaping () -> Void) {
    guard isPaused || !held.isEmpty else { return body() }
    held.append(body)
  }

  func pause() { if canPause { isPaused = true } }

  func resume() {
    guard isPaused else { return }
    isPaused = false
    later(0) { [self] in
      while !isPaused, !held.isEmpty { held.removeFirst()() }
    }
  }
}

// MARK: - What the client says

extension SimulatedSocket {
  func send(_ bytes: Data, whenTaken report: @escaping @Sendable (Bool) -> Void) {
    // Reports come in the order of the calls.
    guard !isOver && !isCancelled || !untaken.isEmpty else { return report(false) }
    untaken.append((bytes, report))
    if !isOver, !isCancelled { take() }
  }

  /// The system takes one piece after another.
  private func take() {
    guard !isTaking, !untaken.isEmpty else { return }
    isTaking = true
    let wait = chance(500) ? 0 : latency(5 * millisecond)
    later(wait) { [self] in
      isTaking = false
      guard !isOver, !isCancelled, !isStalled, !untaken.isEmpty else { return }
      let (bytes, report) = untaken.removeFirst()
      outwards.send(within: way) { [self] in hear(bytes) }
      server.records[number].taken += texts(in: bytes)
      report(true)
      take()
    }
  }

  /// The texts in bytes that hold whole frames.
  private func texts(in bytes: Data) -> [String] {
    var reader = SocketFrameReader()
    return reader.read(bytes).compactMap { if case .text(let text) = $0 { text } else { nil } }
  }

  private func hear(_ bytes: Data) {
    guard !isOver, !isStalled else { return }
    for frame in reader.read(bytes) {
      switch frame {
      case .text(let text):
        note("the server hears \(text.prefix(20))")
        server.records[number].heard.append(text)
      case .ping(let text): send(.pong(text))
      case .pong: break
      case .close(let code):
        note("the client closes it: \(code.map(String.init) ?? "no code")")
        guard !isDeaf else { return }
        close(code)
        inwards.send(within: way) { [self] in pass { [self] in end(nil) } }
      }
    }
  }
}

// MARK: - The end

extension SimulatedSocket {
  private func cut() {
    guard !isOver, !isStalled else { return }
    note("is cut")
    end(LoadError(.connection, "connection \(number) was reset"))
  }

  private func end(_ failure: LoadError?) {
    guard !isOver else { return }
    isOver = true
    server.running[number] = nil
    server.records[number].end = .some(failure)
    server.records[number].ended = sim_now()
    held = []
    let receiver = receiver
    self.receiver = nil
    // The seam leaves it open which of them comes first.
    let refusesFirst = chance(500)
    if refusesFirst { refuse() }
    receiver?.finished(failure)
    if !refusesFirst { chance(500) ? refuse() : later(0) { [self] in refuse() } }
  }

  private func refuse() {
    let reports = untaken
    untaken = []
    for (_, report) in reports { report(false) }
  }

  func cancel() {
    guard !isOver, !isCancelled else { return }
    isCancelled = true
    server.records[number].isCancelled = true
    note("is cancelled")
    if chance(500) { thread.run { [self] in refuse() } } else { later(0) { [self] in refuse() } }
    if chance(500) {
      later(way) { [self] in end(LoadError(.connection, "cancelled")) }
    } else {
      isOver = true
      server.running[number] = nil
      receiver = nil
    }
  }
}
