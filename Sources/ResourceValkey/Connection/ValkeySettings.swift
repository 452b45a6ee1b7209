#if Valkey && canImport(CResourceHiredis)
  public import ResourceLoading

  /// The settings of a ``ValkeyServer``.
  public struct ValkeySettings: Sendable {
    /// The user for `AUTH`; `nil` for the default user.
    public var username: String?
    /// The password for `AUTH`; `nil` if the server needs none.
    public var password: String?
    /// The options of TLS, such as `TLSOptions()` for a certificate by the system's authorities; `nil`
    /// for connections that aren't encrypted. For hosts only.
    public var tls: TLSOptions?
    /// The number of the database, for `SELECT`.
    public var database = 0
    /// The beginning of all keys. Caches with different prefixes share nothing.
    public var prefix = "resource-loading"
    /// The maximum number of connections, at least 1. Each has a thread of its own.
    public var maximumConnections = 4
    /// The maximum time for connecting.
    public var connectTimeLimit = Duration.milliseconds(500)
    /// The maximum time for the commands of an operation, which includes sending their arguments and
    /// receiving the replies. If operations wait for a connection, and are then sent together, they
    /// have twice this time.
    public var timeLimit = Duration.milliseconds(500)
    /// The shortest and the longest time for which nothing is sent to a server after it has failed.
    /// The time doubles with each failure in a row.
    public var pauses = Duration.milliseconds(100)...Duration.seconds(10)
    /// The maximum number of waiting commands. Further ones fail at once.
    public var maximumQueueSize = 8192

    /// Creates the default settings.
    public init() {}
  }

  extension ValkeySettings: CustomReflectable {
    /// Shows the settings without the password.
    public var customMirror: Mirror {
      Mirror(
        self,
        children: [
          "username": username as Any, "hasPassword": password != nil, "tls": tls as Any,
          "database": database,
          "prefix": prefix, "maximumConnections": maximumConnections,
          "connectTimeLimit": connectTimeLimit, "timeLimit": timeLimit, "pauses": pauses,
          "maximumQueueSize": maximumQueueSize,
        ])
    }
  }

  /// Where a server of Valkey or Redis is.
  public struct ValkeyAddress: Sendable, Hashable {
    let place: Place

    enum Place: Sendable, Hashable {
      case unixSocket(String)
      case host(String, port: Int32)
    }

    /// A socket of the file system.
    ///
    /// - Parameter path: The path of the socket.
    public static func unixSocket(_ path: String) -> ValkeyAddress {
      ValkeyAddress(place: .unixSocket(path))
    }

    /// A server on the network. The connection is encrypted if the settings have ``ValkeySettings/tls``.
    ///
    /// - Parameters:
    ///   - name: The host's name or address.
    ///   - port: The TCP port.
    public static func host(_ name: String, port: Int = 6379) -> ValkeyAddress {
      ValkeyAddress(place: .host(name, port: Int32(clamping: port)))
    }
  }

  extension ValkeyAddress {
    var isUnixSocket: Bool { if case .unixSocket = place { true } else { false } }
  }

  extension ValkeyAddress: CustomStringConvertible {
    /// The path of the socket, or the host and the port.
    public var description: String {
      switch place {
      case .unixSocket(let path): path
      case .host(let name, let port): "\(name):\(port)"
      }
    }
  }
#endif
