package import ResourceLoading

/// Whose part of a cache it is. What was answered to one credential is never found by another, nor by none.
package struct CachePartition: Sendable, Hashable {
  /// Tells credentials apart without giving them away; empty for requests without any.
  package let name: String

  /// For requests without credentials.
  package static let anonymous = CachePartition(name: "")

  /// The part of a partition's name, as it was stored.
  package init(name: String) { self.name = name }

  /// The part of who sends these headers: of their `Authorization` and their cookies.
  package init(_ headers: Headers) {
    let secrets = [Headers.Name.authorization, .cookie].map { headers[$0] }
    guard secrets.contains(where: { $0 != nil }) else {
      self = .anonymous
      return
    }
    // The lengths keep apart what would read the same when put together.
    let text = secrets.map { "\($0?.utf8.count ?? -1):\($0 ?? "")" }.joined()
    name = SHA256.hexadecimal(of: text.utf8)
  }
}
