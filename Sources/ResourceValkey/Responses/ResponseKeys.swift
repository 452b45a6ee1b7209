#if Valkey && canImport(CResourceHiredis)
  internal import Foundation
  internal import ResourceCache
  internal import ResourcePrimitives

  /// The state of a cache on a server, as it was last read.
  struct ResponseState: Sendable {
    let hashKey: HashKey
    /// The server's process that created the state.
    let serverID: String
    private let prefix: String
    private let base: String

    init(_ hashKey: HashKey, serverID: String, prefix: String) {
      self.hashKey = hashKey
      self.serverID = serverID
      self.prefix = prefix
      base = "\(prefix):\(UInt64(bitPattern: hashKey.history))"
    }
  }

  extension ResponseState {
    /// The history, as the server stores it.
    var history: Data { Data("\(hashKey.history)".utf8) }

    func keys(of key: CacheKey) -> ResponseKeys {
      ResponseKeys(
        base: base, url: Self.hexadecimal(hashKey.hash(key.url)),
        partition: Self.hexadecimal(hashKey.hash(key.partition)),
        query: key.content.isEmpty
          ? "" : ":\(Self.hexadecimal(hashKey.hash("content \(key.content)")))")
    }

    /// The hash of a group.
    func hash(_ group: CacheGroup) -> Data { hashKey.hash(group.text) }

    /// The key of a group's token, and the name of its removals.
    func groupToken(_ hash: Data) -> String { "\(base):g:\(Self.hexadecimal(hash))" }
    func groupRemoval(_ hash: Data) -> String { "g\(Self.hexadecimal(hash))" }

    /// The hash of a variant, whose text may contain the values of request headers.
    func hash(variant: String) -> Data { hashKey.hash("variant \(variant)") }

    /// Matches the names of all keys that a scope covers, in this history and in earlier ones.
    func pattern(of scope: Scope) -> String {
      let special = Set("*?[]\\")
      return prefix.map { special.contains($0) ? "\\\($0)" : "\($0)" }.joined() + scope.rawValue
    }

    enum Scope: String {
      case anonymous = ":[0-9]*:a:*"
      case credentials = ":[0-9]*:c:*"
      case everything = ":[0-9]*"
    }

    fileprivate static func hexadecimal(_ hash: Data) -> String { SecureHash.hexadecimal(hash) }
  }

  /// The names on the server for a key of the cache. They contain hashes only.
  struct ResponseKeys: Sendable {
    fileprivate let base: String
    fileprivate let url: String
    /// Empty for the anonymous partition.
    fileprivate let partition: String
    /// The hash of a query's content, with a colon; empty without a content.
    fileprivate let query: String
  }

  extension ResponseKeys {
    var isPrivate: Bool { !partition.isEmpty }

    var content: String {
      isPrivate ? "\(base):c:\(partition):\(url)\(query)" : "\(base):a:\(url)\(query)"
    }

    var partitionToken: String { "\(base):p:\(partition)" }
    var urlToken: String { "\(base):u:\(url)" }
    /// The keys of a partition with credentials.
    var index: String { "\(base):i:\(partition)" }

    func lease(_ variant: Data) -> String {
      "\(base):l:\(partition):\(url)\(query):\(ResponseState.hexadecimal(variant))"
    }

    // The names of removals in the state.
    var entryRemoval: String { "e\(partition):\(url)\(query)" }
    var urlRemoval: String { "u\(url)" }
    var partitionRemoval: String { "p\(partition)" }
  }
#endif
