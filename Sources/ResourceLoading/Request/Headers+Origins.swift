extension Headers {
  /// Removes the headers that another origin doesn't get: all but those on a list, since secrets can't be
  /// recognised by name alone.
  ///
  /// - Parameter others: Further names to keep: ``Request/Options/crossOriginHeaders``.
  package mutating func leaveOrigin(with others: Set<Headers.Name>?) {
    for field in Array(self) where !field.name.isForAllOrigins(with: others) {
      self[field.name] = nil
    }
  }
}

extension Headers.Name {
  /// Returns whether a header is kept for another origin than the one it was made for.
  ///
  /// - Parameter others: Further names to keep. `Host` never is.
  package func isForAllOrigins(with others: Set<Headers.Name>? = nil) -> Bool {
    guard self != .host else { return false }
    return isListed || others?.contains(self) ?? false
  }

  private var isListed: Bool {
    let name = rawValue.lowercased()
    guard !Self.listed.contains(name) else { return true }
    let isDescription = name == "accept" || name.hasPrefix("accept-") || name.hasPrefix("content-")
    return isDescription && !Secrets.isSecret(name: name)
  }

  private static let listed: Set<String> = [
    "user-agent", "range", "if-range", "if-match", "if-none-match", "if-modified-since",
    "if-unmodified-since", "cache-control", "pragma", "expect",
  ]
}
