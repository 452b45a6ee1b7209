extension LoopbackServer {
  /// Which loopback interface a server listens on.
  @nonexhaustive
  public enum Address: Sendable, Hashable {
    /// `127.0.0.1`
    case ipv4
    /// `::1`
    case ipv6
  }

  /// What can be chosen about a server besides its routes.
  public struct Configuration: Sendable {
    /// The interface to listen on.
    public var address: Address

    /// The port to listen on; 0, the default, takes any free one.
    public var port: UInt16

    /// How many connections may wait to be accepted; the system has a limit of its own.
    public var backlog: Int

    /// The size in bytes of each connection's receive buffer in the kernel; `nil` leaves it to the
    /// system. A small one lets a client feel soon that the server doesn't read.
    public var receiveBuffer: Int?

    /// The size in bytes of each connection's send buffer in the kernel; `nil` leaves it to the
    /// system. A small one lets the server feel soon that a client doesn't read.
    public var sendBuffer: Int?

    /// How many bytes of each body are kept in the log; what exceeds them is counted and dropped.
    public var storedBodyBytes: Int

    /// What is done with a new connection before anything is read from it; gets the connection's
    /// number, counted from 1. An empty script, the default, goes on to serve requests.
    ///
    /// ```swift
    /// configuration.onAccept = { number in number == 1 ? .reset : [] }
    /// ```
    public var onAccept: @Sendable (Int) -> Script

    /// The usual: IPv4, any free port, all bodies kept, requests served at once.
    public init() {
      address = .ipv4
      port = 0
      backlog = 4096
      storedBodyBytes = .max
      onAccept = { _ in [] }
    }
  }
}
