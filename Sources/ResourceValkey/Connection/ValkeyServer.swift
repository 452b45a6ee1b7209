#if Valkey && canImport(CResourceHiredis)
  internal import PromiseModule
  internal import ResourceLoading

  /// The connections of a program to a server of Valkey or Redis (at least Redis 5), for caches and
  /// limits that several processes share.
  ///
  /// ```swift
  /// let server = ValkeyServer(.host("cache.internal")) { $0.password = password }
  /// let cache = HTTPCache(.valkey(server))
  /// ```
  ///
  /// Connections are opened when they are first needed, and each has a thread of its own. After a
  /// failure nothing is sent to the server for a time, and what needs it fails at once; then one
  /// connection tries it in the background. So a server that is gone delays no load.
  ///
  /// The account needs the commands `INFO`, `EVAL` and `SCAN` besides those that read and write. A
  /// cluster isn't supported. All members can be used from any thread.
  public final class ValkeyServer: Sendable {
    let prefix: String
    private let pool: CommandPool

    /// Creates the connections to a server, without connecting.
    ///
    /// - Parameters:
    ///   - address: The server.
    ///   - configure: Changes the settings.
    public init(
      _ address: ValkeyAddress, _ configure: (inout ValkeySettings) -> Void = { _ in }
    ) {
      var settings = ValkeySettings()
      configure(&settings)
      // hiredis refuses more than 24 days.
      settings.connectTimeLimit = min(settings.connectTimeLimit, .seconds(86_400))
      settings.timeLimit = min(settings.timeLimit, .seconds(86_400))
      precondition(settings.maximumConnections > 0, "a server needs at least one connection")
      precondition(
        settings.tls == nil || !address.isUnixSocket, "a socket of the file system has no TLS")
      prefix = settings.prefix
      pool = CommandPool(address, settings)
    }

    deinit { pool.close() }

    /// Whether the server is used. It isn't for a time after a failure, nor after ``close()``.
    public var isAvailable: Bool { pool.isAvailable }

    /// Closes the connections. What waits for the server, and later operations, throw a `LoadError`
    /// of kind `closed`.
    public func close() { pool.close() }
  }

  extension ValkeyServer {
    /// Sends commands, and waits for their replies.
    ///
    /// - Parameters:
    ///   - isRepeatable: Whether they can be sent again if the connection is lost.
    ///   - commands: Returns the commands for the process of the server that is given by its
    ///     identifier, or `nil` if they are for another one.
    /// - Returns: The replies, one for each command; `nil` if there were no commands. The first
    ///   error of the server is thrown.
    func run(
      isRepeatable: Bool = true, _ commands: @escaping @Sendable (_ serverID: String) -> [Command]?
    ) async throws -> [Reply]? {
      try Task.checkCancellation()
      let (promise, resolver) = Promise<[Reply]?>.pending()
      pool.submit(
        CommandPool.Job(commands: commands, isRepeatable: isRepeatable, resolver: resolver))
      let replies = try await promise.get()
      for case .failure(let reason) in replies ?? [] {
        throw LoadError(
          .store, "the server refuses a command: \(reason)", advice: Self.advice(reason))
      }
      return replies
    }

    /// Sends commands without waiting for them.
    func post(_ commands: @escaping @Sendable (_ serverID: String) -> [Command]?) {
      pool.submit(CommandPool.Job(commands: commands, isRepeatable: true, resolver: nil))
    }

    private static func advice(_ reason: String) -> String? {
      switch reason.prefix(while: { $0 != " " }) {
      case "OOM": "Raise the server's maxmemory, or choose a maxmemory-policy that evicts"
      case "NOPERM": "Allow the account the command"
      case "NOAUTH", "WRONGPASS": "Check the user and the password"
      default: nil
      }
    }
  }
#endif
