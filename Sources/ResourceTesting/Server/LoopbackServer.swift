public import Foundation
import ResourcePrimitives
import Synchronization

/// An HTTP/1.1 server in the test's process, on the loopback interface. It sends exactly the bytes
/// that a test scripts, and logs what it receives.
///
/// ```swift
/// let server = try LoopbackServer {
///   LoopbackRoute("GET /users/1") { _ in .json(#"{"login": "octocat"}"#) }
///   LoopbackRoute("GET /flaky", .status(503), .status(503), .json("{}"))
///   LoopbackRoute(
///     "GET /cut", [.bytes("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n1234"), .close])
/// }
/// defer { server.stop() }
///
/// let user = try await fetch(server.url("/users/1"))
/// #expect(user.contains("octocat"))
/// #expect(server.requests.map(\.target) == ["/users/1"])
/// ```
///
/// It uses blocking sockets and a thread for each connection. It doesn't use the thread pools of
/// Dispatch or Swift, which the code under test may keep busy. It can serve thousands of
/// connections at once.
///
/// All members may be used from any thread. The server runs until `stop()` or until its last
/// reference is released. A handler that captures the server strongly keeps it running until
/// `stop()`.
public final class LoopbackServer: Sendable {
  /// The literal address the server listens on, such as `"127.0.0.1"`, without brackets.
  public let host: String

  /// The port the server listens on.
  public let port: Int

  let state: ServerState
  private let threads = ServerThreads()
  private let listening: Mutex<LoopbackListener?>

  /// Starts a server.
  ///
  /// It is listening when the initialiser returns, so a client can connect at once.
  ///
  /// - Throws: `LoopbackError` with the system call that failed, such as `bind` for a port that is
  ///   taken, or `socket` if the process has no descriptors left.
  public init(
    _ configuration: Configuration = Configuration(),
    @LoopbackRouteBuilder routes: () -> [LoopbackRoute] = { [] }
  ) throws {
    let listener = try LoopbackError.converting {
      try LoopbackListener(
        configuration.address.family, port: configuration.port, backlog: configuration.backlog,
        receiveBuffer: configuration.receiveBuffer, sendBuffer: configuration.sendBuffer)
    }
    host = configuration.address == .ipv4 ? "127.0.0.1" : "::1"
    port = Int(listener.port)
    state = ServerState(configuration, routes: routes())
    listening = Mutex(listener)
    listen(listener)
  }
  deinit {
    stop()
  }
}

extension LoopbackServer {
  /// Returns the URL of a target on this server.
  ///
  /// - Parameter target: A path with or without a query, percent-encoded, starting with `/`.
  public func url(_ target: String = "/") -> URL {
    .loopback(host: host, port: port, target: target)
  }

  /// Adds routes, which take precedence over the earlier ones.
  public func add(@LoopbackRouteBuilder routes: () -> [LoopbackRoute]) {
    state.add(routes())
  }

  /// Stops listening, closes all connections, and waits until all threads of the server have ended.
  ///
  /// Waits for log entries end with `LoopbackError`. The log stays readable. A second call does
  /// nothing. The call waits for running handlers, so one that blocks must be released first.
  public func stop() {
    let listener = listening.withLock { listener in
      defer { listener = nil }
      return listener
    }
    listener?.close()
    state.stop()
    threads.waitForAll()
    state.log.counts.fail(with: LoopbackError.stopped)
  }

  private func listen(_ listener: LoopbackListener) {
    threads.start { [threads, state] in
      listener.run { socket in
        let number = state.log.opened()
        guard state.connect(socket, as: number) else {
          return state.log.closed(number, .byServer)
        }
        threads.start {
          var connection = Connection(number, socket, state)
          connection.run()
        }
      }
    }
  }
}

extension LoopbackServer {
  /// The settings of a server besides its routes.
  public struct Configuration: Sendable {
    /// The interface to listen on.
    public var address: LoopbackAddress

    /// The port to listen on; 0, the default, for any free one.
    public var port: UInt16

    /// The number of connections that may wait to be accepted; the system has its own limit.
    public var backlog: Int

    /// The size in bytes of each connection's receive buffer in the kernel; `nil` leaves it to the
    /// system. With a small one a client soon notices that the server doesn't read.
    public var receiveBuffer: Int?

    /// The size in bytes of each connection's send buffer in the kernel; `nil` leaves it to the
    /// system. With a small one the server soon notices that a client doesn't read.
    public var sendBuffer: Int?

    /// The most bytes of each body that are kept in the log. Further ones are counted and dropped.
    public var maximumStoredBodySize: Int

    /// Returns the script to run on a new connection before anything is read from it. It is called
    /// with the connection's number, counted from 1. After an empty script, the default, the server
    /// serves requests.
    ///
    /// ```swift
    /// configuration.onAccept = { number in number == 1 ? .reset : [] }
    /// ```
    public var onAccept: @Sendable (Int) -> Script

    /// Creates the default: IPv4, any free port, all bodies kept, no script for new connections.
    public init() {
      address = .ipv4
      port = 0
      backlog = 4096
      maximumStoredBodySize = .max
      onAccept = { _ in [] }
    }
  }
}
