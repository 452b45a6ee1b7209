#if Valkey && canImport(CResourceHiredis)
  internal import Foundation
  public import ResourceCache
  internal import ResourceLoading
  internal import ResourcePrimitives
  internal import Synchronization

  /// Stores the responses of `HTTPCache`s in Valkey or Redis, so that processes on many machines
  /// share them.
  ///
  /// What one process removes, no process uses again, and a response that was requested before a
  /// removal isn't stored after it. The server evicts responses by its own `maxmemory-policy`;
  /// whatever it evicts is only missing. Names of keys are hashes, and no credentials of requests
  /// are stored.
  ///
  /// A server that was restarted, or that has replaced another one, may have lost the latest
  /// removals. So it begins with an empty cache.
  ///
  /// Processes that miss the same response at once send one request; see `ResponseLease`.
  public final class ValkeyResponseStorage: ResponseStorage {
    let server: ValkeyServer
    let leaseTime: Duration
    private let lifetime: Duration
    private let maximumResponseSize: Int
    /// The state on the server; `nil` until it is read.
    private let state = Mutex<ResponseState?>(nil)

    /// Creates a storage.
    ///
    /// - Parameters:
    ///   - server: The server.
    ///   - maximumResponseSize: The maximum number of bytes of the body and headers of a response.
    ///     The server's `maxmemory` limits the size of all responses.
    ///   - lifetime: The time after which the server removes a response, at least a second.
    ///   - leaseTime: The maximum time for which processes wait for the response that another
    ///     process requests; zero if they don't wait.
    public init(
      _ server: ValkeyServer, maximumResponseSize: Int = 1 << 20,
      lifetime: Duration = .seconds(7 * 86_400), leaseTime: Duration = .seconds(5)
    ) {
      self.server = server
      self.maximumResponseSize = maximumResponseSize
      self.lifetime = max(.seconds(1), min(lifetime, .seconds(1 << 31)))
      self.leaseTime = min(leaseTime, .seconds(1 << 31))
    }

    /// Returns the variants of a response. Damaged ones count as missing.
    ///
    /// - Throws: `CancellationError`, or a `LoadError` of kind `store` or `closed`.
    public func responses(for key: CacheKey) async throws -> [StoredResponse] {
      let fields = try await snapshot(of: key, "HGETALL") { fields in
        Self.values(in: fields, named: "t").first
      }
      var (contents, groups): ([Data: Data], [Data: Data]) = ([:], [:])
      for index in stride(from: 0, to: fields.count - 1, by: 2) {
        guard let name = fields[index].data, let value = fields[index + 1].data else { continue }
        switch name.first {
        case UInt8(ascii: "b"): contents[name.dropFirst()] = value
        case UInt8(ascii: "g"): groups[name.dropFirst()] = value
        default: break
        }
      }
      if !groups.isEmpty {
        let valid = try await validGroups(in: Set(groups.values.flatMap(\.groupTokens)))
        contents = contents.filter { variant, _ in
          groups[variant].map { valid.isSuperset(of: $0.groupTokens) } ?? true
        }
      }
      return contents.values.compactMap { StoredResponse(storedBytes: $0, for: key) }
    }

    /// Returns the position in the history of removals, which all processes share.
    ///
    /// - Throws: `CancellationError`, or a `LoadError` of kind `store` or `closed`.
    public func mark() async throws -> RemovalMark {
      try await use { state in
        [Command("HMGET", .text(self.stateKey), "h", "n")]
      } reading: { state, replies in
        let fields = replies[0].array
        guard fields.first?.data == state.history, let number = fields.last?.integer else {
          return nil
        }
        return RemovalMark(history: state.hashKey.history, number: number)
      }
    }

    /// Stores a response; see `ResponseStorage`.
    ///
    /// - Throws: `CancellationError`, or a `LoadError` of kind `store` or `closed`. A response that
    ///   is too large, or that was removed since the mark, isn't an error.
    public func store(
      _ response: StoredResponse, for key: CacheKey, since mark: RemovalMark
    ) async throws {
      guard response.size(under: key) <= maximumResponseSize, response.isWritable(under: key) else {
        return try await drop(response.variant, of: key)
      }
      let content = response.storedBytes(for: key)
      // Each attempt fails only if another process has stored the same variant in between.
      for _ in 0..<16 {
        let stored = try await storedTimes(of: response.variant, of: key)
        if let stored, response.isOutdated(byStoredTimes: stored) { return }
        let isDone = try await store(
          content, response, for: key, since: mark, replacing: stored ?? Data())
        if isDone { return }
      }
      throw LoadError(.store, "other processes store the same response all the time")
    }

    /// Removes responses, for all processes.
    ///
    /// - Throws: `CancellationError`, or a `LoadError` of kind `store` or `closed`.
    public func remove(_ scope: CacheScope) async throws {
      let before = try await currentState()
      if case .everything = scope {
        _ = try await server.run { _ in [Command("DEL", .text(self.stateKey))] }
      } else {
        try await use {
          self.removals(of: scope, $0)
        } reading: { _, replies in
          replies.allSatisfy { $0.integer == 1 } ? () : nil
        }
      }
      switch scope {
      case .entry, .url, .groups: break
      case .partition(let partition):
        if partition == .anonymous { try await sweep(before.pattern(of: .anonymous)) }
      case .credentials: try await sweep(before.pattern(of: .credentials))
      case .everything: try await sweep(before.pattern(of: .everything))
      }
    }
  }

  extension ResponseStorage where Self == ValkeyResponseStorage {
    /// A storage in Valkey or Redis.
    ///
    /// - Parameters:
    ///   - server: The server.
    ///   - maximumResponseSize: The maximum number of bytes of the body and headers of a response.
    public static func valkey(
      _ server: ValkeyServer, maximumResponseSize: Int = 1 << 20
    ) -> ValkeyResponseStorage {
      ValkeyResponseStorage(server, maximumResponseSize: maximumResponseSize)
    }
  }

  // The state on the server.
  extension ValkeyResponseStorage {
    var stateKey: String { "\(server.prefix):state" }

    /// The state as it was last read.
    var lastState: ResponseState? { state.withLock(\.self) }

    /// Runs commands for the state on the server.
    ///
    /// - Parameter reading: Returns `nil` if the state has changed. Then this starts again.
    func use<Value>(
      _ commands: @escaping @Sendable (ResponseState) -> [Command],
      reading: (ResponseState, [Reply]) -> Value?
    ) async throws -> Value {
      for _ in 0..<8 {
        let state = try await currentState()
        let replies = try await server.run { serverID in
          serverID == state.serverID ? commands(state) : nil
        }
        if let replies, let value = reading(state, replies) { return value }
        self.state.withLock { $0 = nil }
      }
      throw LoadError(
        .store, "the state of the cache on the server is lost again and again",
        advice: "Raise the server's maxmemory")
    }

    private func currentState() async throws -> ResponseState {
      if let lastState { return lastState }
      let new = HashKey()
      let replies = try await server.run { serverID in
        [
          Command(
            ResponseScripts.prepare, keys: [self.stateKey],
            [
              .text(serverID), .data(new.stored), .integer(new.history), .data(Self.newToken()),
            ])
        ]
      }
      let fields = replies?.first?.array ?? []
      guard let hashKey = fields.first?.data.flatMap({ HashKey($0) }), let id = fields.last?.data
      else {
        throw LoadError(
          .store, "the state of the cache on the server is damaged",
          advice: "Delete the key \(stateKey), or choose another prefix")
      }
      let state = ResponseState(
        hashKey, serverID: String(decoding: id, as: UTF8.self), prefix: server.prefix)
      self.state.withLock { $0 = state }
      return state
    }

    static func newToken() -> Data {
      Data(UInt64.random(in: .min ... .max).bigEndianBytes)
    }
  }

  // Reading and storing.
  extension ValkeyResponseStorage {
    /// Reads from a key of the cache, if its tokens are those of now.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - command: The command.
    ///   - fields: Returns its arguments after the key.
    ///   - tokens: Returns the tokens among the values that it returns.
    private func snapshot(
      of key: CacheKey, _ command: String,
      _ fields: @escaping @Sendable (ResponseState) -> [Command.Argument] = { _ in [] },
      tokens: ([Reply]) -> Data?
    ) async throws -> [Reply] {
      try await use { state in
        let keys = state.keys(of: key)
        return [
          Command([.text(command), .text(keys.content)] + fields(state)),
          Command("HMGET", .text(self.stateKey), "h", "c"),
          Command("MGET", .text(keys.partitionToken), .text(keys.urlToken)),
        ]
      } reading: { state, replies in
        let (history, credentials) = (replies[1].array.first?.data, replies[1].array.last?.data)
        guard history == state.history, let credentials else { return nil }
        // Read after the content, so that a removal in between is noticed.
        let current = replies[2].array.compactMap(\.data)
        guard current.count == 2 else { return [] }
        let expected =
          (key.partition == .anonymous ? Data() : credentials) + current[0] + current[1]
        return tokens(replies[0].array) == expected ? replies[0].array : []
      }
    }

    /// Returns the values of the fields of a hash whose names begin with a letter.
    private static func values(in fields: [Reply], named letter: Character) -> [Data] {
      stride(from: 0, to: fields.count - 1, by: 2).compactMap { index in
        fields[index].data?.first == letter.asciiValue ? fields[index + 1].data : nil
      }
    }

    private func storedTimes(of variant: String, of key: CacheKey) async throws -> Data? {
      try await snapshot(of: key, "HMGET") { state in
        ["t", .data(Data("m".utf8) + state.hash(variant: variant))]
      } tokens: { values in
        values.first?.data
      }.last?.data
    }

    /// Stores a response in the place of one with the given times.
    ///
    /// - Returns: Whether that is done, or the key was removed since the mark; `false` if another
    ///   response is stored.
    private func store(
      _ content: Data, _ response: StoredResponse, for key: CacheKey, since mark: RemovalMark,
      replacing stored: Data
    ) async throws -> Bool {
      let (times, token, lifetime) = (response.storedTimes, Self.newToken(), self.lifetime)
      let state = try await currentState()
      guard mark.history == state.hashKey.history else { return true }
      let replies = try await server.run { serverID in
        guard serverID == state.serverID else { return nil }
        let keys = state.keys(of: key)
        let groups = response.groups.map { state.hash($0) }
        return [
          Command(
            ResponseScripts.store,
            keys: [
              self.stateKey, keys.partitionToken, keys.urlToken, keys.content, keys.index,
            ] + groups.map { state.groupToken($0) },
            [
              .data(state.history), .integer(mark.number),
              .data(state.hash(variant: response.variant)), .data(stored), .data(times),
              .data(content), .data(token), .integer(lifetime.milliseconds),
              keys.isPrivate ? "1" : "0", .text(keys.entryRemoval), .text(keys.urlRemoval),
              .text(keys.partitionRemoval),
            ] + groups.flatMap { [.data($0), .text(state.groupRemoval($0))] })
        ]
      }
      // Without a reply, or with 3, the history has ended, and with 1 the key was removed.
      return replies?.first?.integer != 2
    }

    private func drop(_ variant: String, of key: CacheKey) async throws {
      try await use { state in
        let hash = state.hash(variant: variant)
        return [
          Command(
            "HDEL", .text(state.keys(of: key).content), .data(Data("m".utf8) + hash),
            .data(Data("b".utf8) + hash), .data(Data("g".utf8) + hash))
        ]
      } reading: { _, _ in
        ()
      }
    }
  }

  extension Duration {
    /// The whole milliseconds, at least one.
    var milliseconds: Int64 { max(1, Int64(self / .milliseconds(1))) }
  }
#endif
