import Synchronization

/// What the threads of one server share: the routes, the log, and the open connections.
final class ServerState: Sendable {
  let configuration: LoopbackServer.Configuration
  let log = ServerLog()
  private let state: Mutex<State>

  private struct State {
    var routes: [LoopbackRoute]
    var sockets: [Int: Socket] = [:]
    var isStopped = false
  }

  init(_ configuration: LoopbackServer.Configuration, routes: [LoopbackRoute]) {
    self.configuration = configuration
    state = Mutex(State(routes: routes))
  }

  var isStopped: Bool {
    state.withLock { $0.isStopped }
  }

  /// Puts `routes` before those there are.
  func add(_ routes: [LoopbackRoute]) {
    state.withLock { state in
      if !state.isStopped { state.routes.insert(contentsOf: routes, at: 0) }
    }
  }

  /// The route that answers `request`; `nil` once the server has stopped and answers nothing.
  func route(for request: ReceivedRequest) -> LoopbackRoute? {
    let (routes, isStopped) = state.withLock { ($0.routes, $0.isStopped) }
    return isStopped ? nil : routes.first { $0.fits(request) } ?? .notFound
  }

  /// Takes a new connection in; `false` if the server has stopped meanwhile.
  func connect(_ socket: Socket, as number: Int) -> Bool {
    state.withLock { state in
      if !state.isStopped { state.sockets[number] = socket }
      return !state.isStopped
    }
  }

  func disconnect(_ number: Int) {
    state.withLock { _ = $0.sockets.removeValue(forKey: number) }
  }

  /// Ends whatever the connections are blocked in. Lets go of the routes, too: their handlers may
  /// hold on to the server.
  func stop() {
    let (sockets, routes) = state.withLock { state in
      defer { state.routes = [] }
      state.isStopped = true
      return (Array(state.sockets.values), state.routes)
    }
    for socket in sockets { socket.shutDown(.both) }
    withExtendedLifetime(routes) {}  // freed here, not under the lock
  }
}

/// What all connections of one server write down, and tests read and wait for.
final class ServerLog: Sendable {
  let counts = Observed(LoopbackServer.Statistics())
  let requests = Mutex<[ReceivedRequest]>([])
  let connections = Mutex<[ReceivedConnection]>([])
  let malformed = Mutex<[[UInt8]]>([])

  /// Notes a new connection and gives it its number, counted from 1.
  func opened() -> Int {
    let number = connections.withLock { connections in
      connections.append(ReceivedConnection(number: connections.count + 1))
      return connections.count
    }
    counts.update { counts in
      counts.accepted += 1
      counts.open += 1
      counts.peakOpen = max(counts.peakOpen, counts.open)
    }
    return number
  }

  func closed(_ number: Int, _ ending: ReceivedConnection.Ending) {
    connections.withLock { $0[number - 1].ending = ending }
    counts.update { counts in
      counts.open -= 1
      if ending != .byServer { counts.disconnects += 1 }
      if ending == .aborted { counts.aborts += 1 }
    }
  }
}

extension ServerLog {
  /// Lists `request` and returns its place in the list.
  func received(_ request: ReceivedRequest) -> Int {
    connections.withLock { $0[request.connection - 1].requests += 1 }
    let place = requests.withLock { requests in
      requests.append(request)
      return requests.count - 1
    }
    counts.update { $0.requests += 1 }
    return place
  }

  /// Puts what has been read of the body meanwhile in the place of the request.
  func update(_ place: Int, _ request: ReceivedRequest) {
    requests.withLock { $0[place] = request }
  }

  func receivedMalformed(_ bytes: [UInt8]) {
    malformed.withLock { $0.append(bytes) }
    counts.update { $0.malformed += 1 }
  }

  func exchangeBegan() {
    counts.update { counts in
      counts.inFlight += 1
      counts.peakInFlight = max(counts.peakInFlight, counts.inFlight)
    }
  }

  func exchangeEnded() {
    counts.update { $0.inFlight -= 1 }
  }
}
