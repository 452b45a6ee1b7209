#if Valkey && canImport(CResourceHiredis)
  internal import CResourceHiredis
  internal import Foundation

  /// A connection by hiredis, for one thread. Its calls block.
  @safe final class HiredisConnection {
    private let context: UnsafeMutablePointer<redisContext>
    private let settings: ValkeySettings
    /// Identifies the server's process. A server that was restarted, or has replaced another one,
    /// may have lost the latest changes.
    let serverID: String
    /// Whether a command has succeeded. A server may have closed a connection that was used before.
    private(set) var wasUsed = false

    /// Connects and signs in.
    init(_ address: ValkeyAddress, _ settings: ValkeySettings) throws(ConnectionFailure) {
      guard let context = unsafe Self.connect(address, within: settings.connectTimeLimit) else {
        throw ConnectionFailure("there is no memory for a connection")
      }
      do throws(ConnectionFailure) {
        guard unsafe context.pointee.err == 0 else { throw unsafe ConnectionFailure(context) }
        unsafe redisSetTimeout(context, timeval(settings.timeLimit))
        serverID = try unsafe Self.begin(context, settings)
      } catch {
        unsafe redisFree(context)
        throw error
      }
      unsafe self.context = unsafe context
      self.settings = settings
    }

    deinit { unsafe redisFree(context) }
  }

  extension HiredisConnection {
    /// Sends commands together, and receives their replies. After an error the connection can't be
    /// used any more.
    func run(
      _ commands: [Command], within limit: Duration
    ) throws(ConnectionFailure) -> [Reply] {
      var replies = try unsafe Self.run(commands.map(\.bytes), context, limit)
      for (index, command) in commands.enumerated() {
        guard replies[index].failureCode == "NOSCRIPT", let whole = command.whole else { continue }
        replies[index] = try unsafe Self.run([whole], context, settings.timeLimit)[0]
      }
      wasUsed = true
      return replies
    }

    private static func connect(
      _ address: ValkeyAddress, within limit: Duration
    ) -> UnsafeMutablePointer<redisContext>? {
      switch address.place {
      case .unixSocket(let path): unsafe redisConnectUnixWithTimeout(path, timeval(limit))
      case .host(let name, let port): unsafe redisConnectWithTimeout(name, port, timeval(limit))
      }
    }

    /// Signs in, selects the database, and returns the identifier of the server's process.
    private static func begin(
      _ context: UnsafeMutablePointer<redisContext>, _ settings: ValkeySettings
    ) throws(ConnectionFailure) -> String {
      var commands: [Command] = []
      if let password = settings.password {
        let user = settings.username.map { [Command.Argument.text($0)] } ?? []
        commands.append(Command(["AUTH"] + user + [.text(password)]))
      }
      if settings.database != 0 {
        commands.append(Command("SELECT", .integer(Int64(settings.database))))
      }
      commands.append(Command("INFO", "server"))
      let replies = try unsafe run(commands.map(\.bytes), context, settings.timeLimit)
      for case .failure(let reason) in replies { throw ConnectionFailure(reason) }
      let lines = String(decoding: replies.last?.data ?? Data(), as: UTF8.self)
        .split(whereSeparator: \.isNewline)
      guard let line = lines.first(where: { $0.hasPrefix("run_id:") }) else {
        throw ConnectionFailure("the server's INFO has no run_id")
      }
      return String(line.dropFirst("run_id:".count))
    }

    private static func run(
      _ commands: [[UInt8]], _ context: UnsafeMutablePointer<redisContext>, _ limit: Duration
    ) throws(ConnectionFailure) -> [Reply] {
      let end = ContinuousClock.now + limit
      for command in commands {
        let code = unsafe command.withUnsafeBufferPointer { bytes in
          unsafe bytes.withMemoryRebound(to: CChar.self) {
            unsafe redisAppendFormattedCommand(context, $0.baseAddress, $0.count)
          }
        }
        guard code == REDIS_OK else { throw unsafe ConnectionFailure(context) }
      }
      var isSent: Int32 = 0
      while isSent == 0 {
        guard unsafe redisBufferWrite(context, &isSent) == REDIS_OK else {
          throw unsafe ConnectionFailure(context)
        }
        guard isSent != 0 || ContinuousClock.now < end else { throw .timedOut }
      }
      var replies: [Reply] = []
      for _ in commands { replies.append(try unsafe nextReply(context, before: end)) }
      return replies
    }

    private static func nextReply(
      _ context: UnsafeMutablePointer<redisContext>, before end: ContinuousClock.Instant
    ) throws(ConnectionFailure) -> Reply {
      while true {
        var found: UnsafeMutableRawPointer?
        guard unsafe redisGetReplyFromReader(context, &found) == REDIS_OK else {
          throw unsafe ConnectionFailure(context)
        }
        if let found = unsafe found {
          defer { unsafe freeReplyObject(found) }
          return unsafe Reply(found.assumingMemoryBound(to: redisReply.self))
        }
        guard ContinuousClock.now < end else { throw .timedOut }
        guard unsafe redisBufferRead(context) == REDIS_OK else {
          throw unsafe ConnectionFailure(context)
        }
      }
    }
  }

  extension Reply {
    /// Copies a reply of hiredis.
    fileprivate init(_ reply: UnsafePointer<redisReply>) {
      switch unsafe reply.pointee.type {
      case REDIS_REPLY_INTEGER: self = unsafe .integer(reply.pointee.integer)
      case REDIS_REPLY_STRING, REDIS_REPLY_STATUS: self = unsafe .data(Self.bytes(reply))
      case REDIS_REPLY_ERROR:
        let text = unsafe String(decoding: Self.bytes(reply), as: UTF8.self)
        // The arguments of a command that the server doesn't know may be secret.
        self = .failure(text.components(separatedBy: ", with args beginning with")[0])
      case REDIS_REPLY_ARRAY:
        let elements = unsafe UnsafeBufferPointer(
          start: reply.pointee.element, count: reply.pointee.elements)
        var replies: [Reply] = []
        replies.reserveCapacity(elements.count)
        for index in elements.indices {
          replies.append(unsafe elements[index].map { unsafe Reply($0) } ?? .null)
        }
        self = .array(replies)
      default: self = .null
      }
    }

    private static func bytes(_ reply: UnsafePointer<redisReply>) -> Data {
      guard let text = unsafe reply.pointee.str else { return Data() }
      return unsafe Data(bytes: text, count: reply.pointee.len)
    }
  }

  /// Why a connection can't be used.
  struct ConnectionFailure: Error, Sendable, Hashable {
    let reason: String
    /// Whether the server ended the connection.
    let isDisconnection: Bool

    init(_ reason: String, isDisconnection: Bool = false) {
      (self.reason, self.isDisconnection) = (reason, isDisconnection)
    }

    static let timedOut = ConnectionFailure("it doesn't respond in time")

    /// Reads the last error of a connection.
    fileprivate init(_ context: UnsafeMutablePointer<redisContext>) {
      let (code, system) = (unsafe context.pointee.err, errno)
      if code == REDIS_ERR_IO, [EAGAIN, EWOULDBLOCK, ETIMEDOUT].contains(system) {
        self = .timedOut
      } else {
        let text = unsafe String(cString: resource_hiredis_error(context))
        self.init(text, isDisconnection: code == REDIS_ERR_EOF || code == REDIS_ERR_IO)
      }
    }
  }

  extension timeval {
    fileprivate init(_ duration: Duration) {
      // A time of zero would be no limit.
      let (seconds, attoseconds) = max(duration, .milliseconds(1)).components
      self.init(
        tv_sec: Int(seconds), tv_usec: Int(attoseconds / 1_000_000_000_000))
    }
  }
#endif
