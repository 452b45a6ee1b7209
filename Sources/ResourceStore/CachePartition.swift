public import ResourceLoading

/// Whose part of a cache it is. What was answered to one credential is never found by another, nor by none.
public struct CachePartition: Sendable, Hashable {
  /// Tells credentials apart without giving them away; empty for requests without any.
  public let name: String

  /// For requests without credentials.
  public static let anonymous = CachePartition(name: "")

  /// The partition of a name, as a database has kept it.
  ///
  /// - Parameter name: What ``name`` was.
  public init(name: String) { self.name = name }

  /// The partition of who sends these headers: of their `Authorization`, their cookies, and whatever else looks
  /// like a secret by its name.
  ///
  /// - Parameter headers: Those of a request, complete.
  public init(_ headers: Headers) {
    let secrets = headers.filter { Secrets.isSecret(name: $0.name.rawValue) }
      .map { ($0.name.rawValue.lowercased(), $0.value) }
    guard !secrets.isEmpty else {
      self = .anonymous
      return
    }
    self.init(secrets.sorted { $0 < $1 })
  }

  /// The partition of a user whom the program knows by a name.
  ///
  /// - Parameter owner: What tells users apart, such as the number of an account.
  public init(owner: String) { self.init([("", owner)]) }

  private init(_ secrets: [(name: String, value: String)]) {
    // The lengths keep apart what would read the same when put together.
    let text = secrets.map { name, value in "\(name.utf8.count):\(name)\(value.utf8.count):\(value)"
    }
    name = SHA256.hexadecimal(of: text.joined().utf8)
  }
}
