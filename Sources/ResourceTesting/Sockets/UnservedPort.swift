public import Foundation

/// A port of the loopback interface at which nobody serves, for tests of connecting itself.
///
/// ```swift
/// let refused = try UnservedPort(.refusing)
/// await #expect(throws: (any Error).self) { try await fetch(refused.url()) }
/// ```
///
/// The port is held as long as the value lives, so that no other server can take it meanwhile.
public final class UnservedPort: Sendable {
  /// What happens to those who connect.
  @nonexhaustive
  public enum Behavior: Sendable, Hashable {
    /// They are refused at once.
    case refusing
    /// They get no answer at all, as from a host that is switched off, until their own timeout.
    case silent
  }

  /// The port at `127.0.0.1`.
  public let port: Int

  private let sockets: [Socket]

  /// Takes a free port.
  ///
  /// - Throws: `LoopbackError` with the system call that failed.
  public init(_ behavior: Behavior) throws {
    let socket = Socket(try SystemCalls.openSocket(.ipv4))
    let port = try SystemCalls.bindToLoopback(socket.descriptor, .ipv4, port: 0)
    self.port = Int(port)
    sockets = [socket] + (behavior == .silent ? try Self.fillQueue(of: socket, port) : [])
  }

  /// The URL of a target at this port.
  ///
  /// - Parameter target: a path with or without a query, percent-encoded, starting with `/`.
  public func url(_ target: String = "/") -> URL {
    .loopback(host: "127.0.0.1", port: port, target: target)
  }
}

extension UnservedPort {
  /// A listening socket whose queue is full drops what comes. Systems count the shortest queue as
  /// one to three places; eight connections fill it everywhere.
  private static func fillQueue(of listener: Socket, _ port: UInt16) throws -> [Socket] {
    try SystemCalls.listen(listener.descriptor, backlog: 1)
    return try (0..<8).map { _ in
      let socket = Socket(try SystemCalls.openSocket(.ipv4))
      try SystemCalls.setNonBlocking(socket.descriptor)
      try SystemCalls.beginConnecting(socket.descriptor, port: port)
      return socket
    }
  }
}
