package import ResourceLoading
import ResourcePrimitives

// The selection of stored responses by requests (RFC 9111 section 4.1).
extension Headers {
  var varyingNames: [Name] { elements(of: .vary).map { Name(rawValue: $0) } }

  /// Whether `Vary` contains `*`, which matches no other request.
  var variesByEverything: Bool { varyingNames.contains("*") }

  /// Returns the normalised values of a field on one line, separated by commas without spaces;
  /// `nil` if there is none. Spaces in quoted strings are part of the value.
  func comparable(_ name: Name) -> String? {
    let values = values(of: name)
    guard !values.isEmpty else { return nil }
    guard !values.contains(where: { $0.utf8.contains(UInt8(ascii: "\"")) }) else {
      return values.joined(separator: ",")
    }
    let text = elements(of: name).joined(separator: ",")
    return Self.namesWithoutCase.contains(name) ? text.asciiLowercased() : text
  }

  /// The fields in which the case of letters means nothing (RFC 9110 section 12.5).
  private static let namesWithoutCase: Set<Name> = [
    .acceptEncoding, .acceptLanguage, "Accept-Charset",
  ]

  /// Returns the elements of the comma-separated lists in all fields with a name (RFC 9110 section
  /// 5.6.1).
  func elements(of name: Name) -> [String] {
    values(of: name).flatMap { $0.parts(between: ",") }.map { $0.trimmingSpaces() }
  }

  /// Returns the stored value of a field that `Vary` names; `nil` if there is none. See
  /// ``VaryValue``.
  func selecting(
    _ name: Name, besides secrets: Set<String>?, salt: @autoclosure () -> String
  ) -> String? {
    guard let value = comparable(name) else { return nil }
    return name.isHarmless(besides: secrets)
      ? value : VaryValue.hashed(value, of: name, salt: salt())
  }
}

extension String {
  /// Other letters aren't changed: values that differ in their bytes are different.
  fileprivate func asciiLowercased() -> String {
    String(
      decoding: utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 },
      as: UTF8.self)
  }
}

/// The stored values of request fields that `Vary` names. Harmless values are stored unchanged and
/// others are hashed, so a file contains no credentials.
///
/// The hash has a salt, which is stored with it and depends on the key of the response. So
/// precomputed tables don't help, and equal passwords of two users can't be recognised. Someone who
/// has the file can still try guesses, which may find a weak password but not a random token.
enum VaryValue {
  /// Returns the salt for values stored under a key.
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

  /// Returns the salt of a value that ``hashed(_:of:salt:)`` returned.
  static func salt(in stored: String) -> String { String(stored.prefix { $0 != "." }) }
}

extension StoredResponse {
  /// Returns whether a request selects this response, as far as `Vary` is concerned.
  package func isSelected(by request: Request) -> Bool {
    !varyingNames.contains("*") && varyingNames.allSatisfy { isEqual($0, in: request) }
  }

  private func isEqual(_ name: Headers.Name, in request: Request) -> Bool {
    let stored = selectingHeaders[name]
    let asked = request.headers.selecting(
      name, besides: request.options.secretNames, salt: VaryValue.salt(in: stored ?? ""))
    guard let stored, let asked else { return stored == nil && asked == nil }
    return asked.hasSameBytes(as: stored)
  }
}
