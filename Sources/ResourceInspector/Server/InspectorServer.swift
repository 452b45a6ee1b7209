import Foundation
import ResourcePrimitives
import Synchronization

/// Serves the page of an inspector on the loopback interface to a browser that has its URL.
///
/// Each connection has a thread of its own and serves one request. A page that reads slowly blocks
/// its own thread only, and receives everything that happened in the meantime as one change.
final class InspectorServer: Sendable {
  /// The URL of the page, which contains the token.
  let url: URL
  private let listener: LoopbackListener
  private let connections: InspectorConnections

  /// The most connections at once. Further ones are closed.
  static let maximumConnections = 8

  /// Starts the server on a free port.
  ///
  /// - Throws: `SystemCallError`.
  init(_ log: LoadLog, _ tables: TableSources) throws {
    // With a small buffer the system keeps little for a page that doesn't read.
    let listener = try LoopbackListener(.ipv4, backlog: 16, sendBuffer: 64 << 10)
    let connections = InspectorConnections(limit: Self.maximumConnections)
    let service = InspectorService(
      log, tables, at: "127.0.0.1:\(listener.port)", token: Self.randomToken())
    guard let url = service.url else { throw POSIXError(.EINVAL) }
    (self.url, self.listener, self.connections) = (url, listener, connections)
    SystemThread.start {
      listener.run { socket in
        guard let number = connections.open(socket) else { return socket.close() }
        SystemThread.start {
          // A browser that leaves isn't a failure.
          try? service.serve(socket)
          socket.close()
          connections.close(number)
        }
      }
    }
  }

  deinit { stop() }

  /// Stops listening and closes all connections.
  func stop() {
    listener.close()
    connections.closeAll()
  }

  /// Returns 192 random bits.
  private static func randomToken() -> String {
    SecureHash.hexadecimal((0..<24).map { _ in UInt8.random(in: .min ... .max) })
  }
}

/// The open connections of a server.
private final class InspectorConnections: Sendable {
  private let limit: Int
  private let state = Mutex(State())

  private struct State {
    var sockets: [Int: Socket] = [:]
    var last = 0
    var isClosed = false
  }

  init(limit: Int) { self.limit = limit }

  /// Adds a connection and returns its number; `nil` if there are too many, or all were closed.
  func open(_ socket: Socket) -> Int? {
    state.withLock { state in
      guard !state.isClosed, state.sockets.count < limit else { return nil }
      state.last += 1
      state.sockets[state.last] = socket
      return state.last
    }
  }

  func close(_ number: Int) { state.withLock { _ = $0.sockets.removeValue(forKey: number) } }

  func closeAll() {
    let sockets = state.withLock { state in
      state.isClosed = true
      return Array(state.sockets.values)
    }
    for socket in sockets { socket.shutDown(.both) }
  }
}
