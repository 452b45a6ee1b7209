public import Foundation
import ResourcePrimitives

/// A port of the loopback interface without a server, for tests of failing connections.
///
/// ```swift
/// let refused = try UnservedPort(.refusing)
/// await #expect(throws: (any Error).self) { try await fetch(refused.url()) }
/// ```
///
/// The port stays reserved during the lifetime of the object, so no other server can take it.
public final class UnservedPort: Sendable {
  /// The effect on clients that connect.
  @nonexhaustive
  public enum Behavior: Sendable, Hashable {
    /// They are refused at once.
    case refusing
    /// They get no reply, as from a host that is switched off, and time out.
    case silent
  }

  /// The port at `127.0.0.1`.
  public let port: Int

  private let sockets: [Socket]

  /// Reserves a free port.
  ///
  /// - Throws: `LoopbackError` with the system call that failed.
  public init(_ behavior: Behavior) throws {
    (port, sockets) = try LoopbackError.converting {
      let socket = Socket(try SystemCalls.openSocket(.ipv4))
      let port = try SystemCalls.bindToLoopback(socket.descriptor, .ipv4, port: 0)
      let others = behavior == .silent ? try Self.fillQueue(of: socket, port) : []
      return (Int(port), [socket] + others)
    }
  }

  /// Returns the URL of a target at this port.
  ///
  /// - Parameter target: A path with or without a query, percent-encoded, starting with `/`.
  public func url(_ target: String = "/") -> URL {
    .loopback(host: "127.0.0.1", port: port, target: target)
  }
}

extension UnservedPort {
  /// Fills the queue of a listening socket, so that it drops further connections. The shortest
  /// queue holds one to three connections, depending on the system, so eight fill it everywhere.
  private static func fillQueue(of listener: Socket, _ port: UInt16) throws -> [Socket] {
    try SystemCalls.startListening(listener.descriptor, backlog: 1)
    return try (0..<8).map { _ in
      let socket = Socket(try SystemCalls.openSocket(.ipv4))
      try SystemCalls.setNonBlocking(socket.descriptor)
      try SystemCalls.beginConnecting(socket.descriptor, port: port)
      return socket
    }
  }
}

extension URL {
  static func loopback(host: String, port: Int, target: String) -> URL {
    let authority = host.includes(":") ? "[\(host)]" : host
    guard target.hasPrefix("/"), let url = URL(string: "http://\(authority):\(port)\(target)")
    else {
      preconditionFailure(
        "\"\(target)\" isn't a target: it must start with / and be percent-encoded")
    }
    return url
  }
}
