import Synchronization

/// What the threads of one server share: the routes, the log, and the open connections.
final class Switchboard: Sendable {
  let configuration: LoopbackServer.Configuration
  let log = ServerLog()
  private let state: Mutex<State>

  private struct State {
    var routes: [Route]
    var sockets: [Int: Socket] = [:]
    var isStopped = false
  }

  init(_ configuration: LoopbackServer.Configuration, routes: [Route]) {
    self.configuration = configuration
    state = Mutex(State(routes: routes))
  }

  var isStopped: Bool {
    state.withLock { $0.isStopped }
  }

  /// Puts `routes` before those there are.
  func add(_ routes: [Route]) {
    state.withLock { state in
      if !state.isStopped { state.routes.insert(contentsOf: routes, at: 0) }
    }
  }

  /// The route that answers `request`; `nil` once the server has stopped and answers nothing.
  func route(for request: ReceivedRequest) -> Route? {
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
