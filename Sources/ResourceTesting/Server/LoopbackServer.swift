public import Foundation
import Synchronization

/// An HTTP/1.1 server inside the test's process, on the loopback interface, that sends exactly what
/// a test tells it and remembers what it received.
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
/// It works with blocking sockets and a thread for each connection; it needs neither Dispatch's
/// pool nor Swift's, which the code under test may keep busy. Thousands of connections at once are
/// possible.
///
/// All members may be used from any thread. The server runs until `stop()` or until the last
/// reference to it is gone. A handler that captures the server strongly keeps it running until
/// `stop()`.
public final class LoopbackServer: Sendable {
  /// The literal address the server listens on, such as `"127.0.0.1"`, without brackets.
  public let host: String

  /// The port the server listens on.
  public let port: Int

  let state: ServerState
  private let threads = ServerThreads()
  private let listening: Mutex<Listener?>

  /// Starts a server.
  ///
  /// It listens when this returns, so that a client may connect at once.
  ///
  /// - Throws: `LoopbackError` with the system call that failed, such as a `bind` to a port that is
  ///   taken, or a `socket` when the process has no descriptors left.
  public init(
    _ configuration: Configuration = Configuration(),
    @RouteBuilder routes: () -> [LoopbackRoute] = { [] }
  ) throws {
    let listener = try Listener(configuration)
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
  /// The URL of a target on this server.
  ///
  /// - Parameter target: a path with or without a query, percent-encoded, starting with `/`.
  public func url(_ target: String = "/") -> URL {
    .loopback(host: host, port: port, target: target)
  }

  /// Adds routes to those the server has; they are asked first.
  public func add(@RouteBuilder routes: () -> [LoopbackRoute]) {
    state.add(routes())
  }

  /// Stops listening, closes all connections, and waits until all threads of the server have ended.
  ///
  /// What waits in the log is ended by `LoopbackError`. The log stays readable. Does nothing the
  /// second time. It waits for handlers that are running; one that blocks must be let go first.
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

  private func listen(_ listener: Listener) {
    threads.start("loopback \(port)") { [threads, state] in
      listener.run { socket in
        let number = state.log.opened()
        guard state.connect(socket, as: number) else {
          return state.log.closed(number, .byServer)
        }
        threads.start("loopback connection \(number)") {
          var connection = Connection(number, socket, state)
          connection.run()
        }
      }
    }
  }
}

extension URL {
  static func loopback(host: String, port: Int, target: String) -> URL {
    let authority = host.contains(":") ? "[\(host)]" : host
    guard target.hasPrefix("/"), let url = URL(string: "http://\(authority):\(port)\(target)")
    else {
      preconditionFailure("\"\(target)\" is no target: it starts with / and is percent-encoded")
    }
    return url
  }
}
