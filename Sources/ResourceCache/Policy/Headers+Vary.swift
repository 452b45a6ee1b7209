package import ResourceLoading

/// Which stored response is meant by which request (RFC 9111 section 4.1).
extension Headers {
  /// The names of request fields in `Vary`.
  var varyingNames: [Name] {
    values(of: .vary).flatMap { $0.split(separator: ",") }.map { Name(rawValue: $0.trimmed) }
  }

  /// Whether `Vary` says `*`: no other request is like the one that was answered.
  var variesByEverything: Bool { varyingNames.contains("*") }

  /// The values of a field in a form that is the same for what means the same: in one line, with one
  /// comma and no spaces between the values.
  func comparable(_ name: Name) -> String? {
    let values = values(of: name).flatMap { $0.split(separator: ",") }.map(\.trimmed)
    return self[name] == nil ? nil : values.joined(separator: ",")
  }

  /// What a cache keeps of a field that `Vary` names; see ``SelectingValue``.
  func selecting(_ name: Name, salt: @autoclosure () -> String) -> String? {
    guard let value = comparable(name) else { return nil }
    return name.isHarmless ? value : SelectingValue.hashed(value, of: name, salt: salt())
  }
}

/// What a cache keeps of a request's fields that `Vary` names: the values of harmless ones as they are, and a hash of
/// all others, so that no credential stands in a file.
///
/// The hash is keyed by a salt that stands beside it and comes from what the response is stored under. So no table
/// made beforehand finds the value, and two users with one password can't be told by it. Who has the file can still
/// try out guesses: that finds a weak password, and no token made of random bytes.
enum SelectingValue {
  /// Returns the salt for what is stored under a key.
  static func salt(of key: CacheKey) -> String {
    String(
      SecureHash.hexadecimal(
        SecureHash.sha256("\(key.partition.name) \(key.url)".utf8).prefix(8)))
  }

  /// Returns the salt and the hash of a field's value.
  static func hashed(_ value: String, of name: Headers.Name, salt: String) -> String {
    let message = "\(name.rawValue.lowercased()):\(value)"
    let hash = SecureHash.hmac(message.utf8, key: Array(salt.utf8)).prefix(16)
    return "\(salt).\(SecureHash.hexadecimal(hash))"
  }

  /// Returns the salt of what ``hashed(_:of:salt:)`` has returned.
  static func salt(in kept: String) -> String { String(kept.prefix { $0 != "." }) }
}

extension StoredResponse {
  /// Whether it may answer a request, as far as `Vary` has a say.
  package func isSelected(by request: Request) -> Bool {
    let names = facts.varyingNames
    return !names.contains("*") && names.allSatisfy { isEqual($0, in: request.headers) }
  }

  private func isEqual(_ name: Headers.Name, in headers: Headers) -> Bool {
    let kept = selectingHeaders[name]
    return headers.selecting(name, salt: SelectingValue.salt(in: kept ?? "")) == kept
  }
}
