import Foundation
import ResourcePrimitives
import Synchronization

/// The state that the threads of one server share: the routes, the log, and the open connections.
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

  func add(_ routes: [LoopbackRoute]) {
    state.withLock { state in
      if !state.isStopped { state.routes.insert(contentsOf: routes, at: 0) }
    }
  }

  /// Returns the route for a request; `nil` once the server has stopped.
  func route(for request: ReceivedRequest) -> LoopbackRoute? {
    let (routes, isStopped) = state.withLock { ($0.routes, $0.isStopped) }
    return isStopped ? nil : routes.first { $0.fits(request) } ?? .notFound
  }

  /// Registers a new connection; returns `false` if the server has stopped.
  func connect(_ socket: Socket, as number: Int) -> Bool {
    state.withLock { state in
      if !state.isStopped { state.sockets[number] = socket }
      return !state.isStopped
    }
  }

  func disconnect(_ number: Int) {
    state.withLock { _ = $0.sockets.removeValue(forKey: number) }
  }

  /// Unblocks the connections, and releases the routes, whose handlers may hold the server.
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

/// The threads of one server. Each runs one piece of work and ends.
final class ServerThreads: Sendable {
  private struct State: Sendable {
    /// The number of threads that were started and haven't ended.
    var count = 0
    /// Those of them that run already.
    var running: Set<UInt> = []
    /// The running threads that wait for the others.
    var waiting: Set<UInt> = []

    mutating func end(_ thread: UInt) {
      count -= 1
      running.remove(thread)
      waiting.remove(thread)
    }
  }

  private let state = Observed(State())

  /// Large enough for handlers that encode JSON, and small enough for thousands of threads.
  private static let stackSize = 512 * 1024

  func start(_ work: @escaping @Sendable () -> Void) {
    let state = state
    state.update { $0.count += 1 }
    let isStarted = SystemThread.start(stackSize: Self.stackSize) {
      let current = SystemThread.current
      state.update { _ = $0.running.insert(current) }
      work()
      state.update { $0.end(current) }
    }
    if !isStarted { state.update { $0.count -= 1 } }
  }

  /// Blocks until every thread has ended.
  ///
  /// A call from one of the threads doesn't wait for itself, nor for others that are also waiting.
  func waitForAll() {
    let current = SystemThread.current
    let isMember = state.update { state in
      guard state.running.contains(current) else { return false }
      state.waiting.insert(current)
      return true
    }
    // The state never fails, so this doesn't throw.
    _ = try? state.block { $0.count == (isMember ? $0.waiting.count : 0) }
  }
}
