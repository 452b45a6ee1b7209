public import ResourceLoading

/// Whose part of a cache it is. What was answered to one credential is never found by another, nor by none.
///
/// What is a credential can't be told by the names of headers alone. So all headers count but those on a list of
/// harmless ones: `Accept` and `Accept-…`, `Content-…`, `User-Agent`, `Cache-Control`, `Pragma`, conditions and
/// ranges, what belongs to one connection, hints of browsers (`Sec-…`, `DNT`, `Priority`), and numbers that trace a
/// request (`traceparent`, `X-Request-ID`). Two requests that differ in any other header share nothing.
public struct CachePartition: Sendable, Hashable {
  /// Tells credentials apart without giving them away; empty for requests without any.
  public let name: String

  /// For requests without credentials: their headers are all harmless.
  public static let anonymous = CachePartition(name: "")

  /// Makes a partition of a name, as a database has kept it.
  ///
  /// - Parameter name: What ``name`` was.
  public init(name: String) { self.name = name }

  /// Makes the partition of who sends these headers.
  ///
  /// - Parameters:
  ///   - headers: Those of a request, complete.
  ///   - shared: Names of headers that count as harmless, too.
  public init(_ headers: Headers, sharing shared: Set<Headers.Name> = []) {
    let telling = headers.filter { !$0.name.isHarmless && !shared.contains($0.name) }
      .map { ($0.name.rawValue.lowercased(), $0.value) }
    guard !telling.isEmpty else {
      self = .anonymous
      return
    }
    // Fields of one name stay in order, which may mean something.
    let sorted = telling.enumerated().sorted {
      ($0.element.0, $0.offset) < ($1.element.0, $1.offset)
    }
    self.init(sorted.map(\.element))
  }

  /// Makes the partition of a user whom the program knows by a name.
  ///
  /// - Parameter owner: What tells users apart, such as the number of an account.
  public init(owner: String) { self.init([("", owner)]) }

  private init(_ fields: [(name: String, value: String)]) {
    // The lengths keep apart what would read the same when put together.
    let text = fields.map { name, value in "\(name.utf8.count):\(name)\(value.utf8.count):\(value)"
    }
    name = SecureHash.hexadecimal(SecureHash.sha256(text.joined().utf8))
  }
}

extension Headers.Name {
  /// Whether the value of a request's header is neither a credential nor chooses an answer behind `Vary`'s back: what
  /// may go along to any origin, and a little more.
  package var isHarmless: Bool {
    if isForAllOrigins() || Self.harmless.contains(self) { return true }
    let name = rawValue.lowercased()
    return Self.harmlessPrefixes.contains { name.hasPrefix($0) } && !Secrets.isSecret(name: name)
  }

  private static let harmlessPrefixes = ["sec-", "x-b3-"]

  private static let harmless: Set<Headers.Name> = [
    "Date", "Max-Forwards", "Connection", "Keep-Alive", "TE", "Trailer", "Transfer-Encoding",
    "Upgrade", "Upgrade-Insecure-Requests", "DNT", "Priority", "Save-Data", "Idempotency-Key",
    "traceparent", "tracestate", "b3", "X-Request-ID", "X-Correlation-ID", "X-Amzn-Trace-Id",
  ]
}
