#if Valkey && canImport(CResourceHiredis)
  internal import CResourceHiredis
  internal import Foundation
  internal import ResourceLoading

  /// How bytes get to a server and back, for one thread. Its calls block.
  protocol Wire {
    func send(
      _ commands: [[UInt8]], before end: ContinuousClock.Instant
    ) throws(ConnectionFailure)

    func nextReply(before end: ContinuousClock.Instant) throws(ConnectionFailure) -> Reply
  }

  /// A connection of hiredis, without encryption.
  @safe final class PlainWire: Wire {
    private let context: UnsafeMutablePointer<redisContext>

    /// Connects within a time. After that, no call of the system takes longer than `limit`.
    init(
      _ place: ValkeyAddress.Place, within connectLimit: Duration, limit: Duration
    ) throws(ConnectionFailure) {
      let time = timeval(connectLimit)
      let context =
        switch place {
        case .unixSocket(let path): unsafe redisConnectUnixWithTimeout(path, time)
        case .host(let name, let port): unsafe redisConnectWithTimeout(name, port, time)
        }
      guard let context = unsafe context else { throw .noMemory }
      unsafe self.context = unsafe context
      guard unsafe context.pointee.err == 0 else { throw unsafe ConnectionFailure(context) }
      unsafe redisSetTimeout(context, timeval(limit))
    }

    deinit { unsafe redisFree(context) }

    func send(
      _ commands: [[UInt8]], before end: ContinuousClock.Instant
    ) throws(ConnectionFailure) {
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
    }

    func nextReply(before end: ContinuousClock.Instant) throws(ConnectionFailure) -> Reply {
      while true {
        var found: UnsafeMutableRawPointer?
        guard unsafe redisGetReplyFromReader(context, &found) == REDIS_OK else {
          throw unsafe ConnectionFailure(context)
        }
        if let found = unsafe found { return unsafe Reply(taking: found) }
        guard ContinuousClock.now < end else { throw .timedOut }
        guard unsafe redisBufferRead(context) == REDIS_OK else {
          throw unsafe ConnectionFailure(context)
        }
      }
    }
  }

  /// A connection with TLS. It is libcurl's, since many versions of hiredis have none, and reads
  /// replies by hiredis.
  @safe final class EncryptedWire: Wire {
    private let connection: TLSConnection
    private let reader: UnsafeMutablePointer<redisReader>
    private var buffer = [UInt8](repeating: 0, count: 16_384)

    init(
      _ host: String, _ port: Int32, _ options: TLSOptions, within limit: Duration
    ) throws(ConnectionFailure) {
      do {
        connection = try TLSConnection(host: host, port: Int(port), options, within: limit)
      } catch {
        throw ConnectionFailure(error)
      }
      guard let reader = unsafe redisReaderCreate() else { throw .noMemory }
      unsafe self.reader = unsafe reader
    }

    deinit { unsafe redisReaderFree(reader) }

    func send(
      _ commands: [[UInt8]], before end: ContinuousClock.Instant
    ) throws(ConnectionFailure) {
      do {
        try connection.send(Array(commands.joined()), before: end)
      } catch {
        throw ConnectionFailure(error)
      }
    }

    func nextReply(before end: ContinuousClock.Instant) throws(ConnectionFailure) -> Reply {
      while true {
        var found: UnsafeMutableRawPointer?
        guard unsafe redisReaderGetReply(reader, &found) == REDIS_OK else {
          throw ConnectionFailure("the server's reply can't be read")
        }
        if let found = unsafe found { return unsafe Reply(taking: found) }
        let count = try receive(before: end)
        guard count > 0 else { throw .ended }
        let code = unsafe buffer.withUnsafeBufferPointer { bytes in
          unsafe bytes.withMemoryRebound(to: CChar.self) {
            unsafe redisReaderFeed(reader, $0.baseAddress, count)
          }
        }
        guard code == REDIS_OK else { throw .noMemory }
      }
    }

    private func receive(
      before end: ContinuousClock.Instant
    ) throws(ConnectionFailure) -> Int {
      do {
        return try connection.receive(into: &buffer, before: end)
      } catch {
        throw ConnectionFailure(error)
      }
    }
  }

  /// Why a connection can't be used.
  struct ConnectionFailure: Error, Sendable, Hashable {
    let reason: String
    /// Whether the server ended the connection.
    let isDisconnection: Bool
    let advice: String?

    init(_ reason: String, isDisconnection: Bool = false, advice: String? = nil) {
      (self.reason, self.isDisconnection, self.advice) = (reason, isDisconnection, advice)
    }

    static let timedOut = ConnectionFailure("it doesn't respond in time")
    static let noMemory = ConnectionFailure("there is no memory for a connection")
    static let ended = ConnectionFailure("it closed the connection", isDisconnection: true)

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

    fileprivate init(_ error: LoadError) {
      self.init(
        error.reason, isDisconnection: error.kind == .connection,
        advice: error.kind == .secureConnection ? error.advice : nil)
    }
  }

  extension Reply {
    /// Copies a reply of hiredis, and frees it.
    fileprivate init(taking reply: UnsafeMutableRawPointer) {
      defer { unsafe freeReplyObject(reply) }
      unsafe self.init(reply.assumingMemoryBound(to: redisReply.self))
    }

    private init(_ reply: UnsafePointer<redisReply>) {
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

  extension timeval {
    fileprivate init(_ duration: Duration) {
      // A time of zero would be no limit.
      let (seconds, attoseconds) = max(duration, .milliseconds(1)).components
      self.init(
        tv_sec: Int(seconds), tv_usec: Int(attoseconds / 1_000_000_000_000))
    }
  }
#endif
