import Foundation
import ResourceLoading

/// Replaces the secrets of a recording, each by a stand-in of its own.
struct SecretStandIns: Sendable {
  let rules: RecordingRedaction
  /// The numbers of secrets, without escapes.
  private var numbers: [String: Int] = [:]
  /// The numbers of known secrets by the forms in which they are looked for.
  private(set) var forms: [String: Int] = [:]
  private var known = KnownSecrets([])
  /// The forms that aren't looked for yet.
  private var newForms: Set<String> = []
  /// The number of the next secret.
  private var next = 1

  /// The most forms that are looked for; the longest ones if there are more.
  private static let capacity = 4096

  init(_ rules: RecordingRedaction) {
    self.rules = rules
    for secret in rules.secrets.sorted() { _ = standIn(for: secret) }
  }
}

// MARK: - Secrets

extension SecretStandIns {
  /// Reserves the stand-ins of an archive, so that no other secret gets one of them.
  mutating func reserveStandIns(of archive: HTTPArchive) {
    for entry in archive.entries {
      _ = entry.mapTexts { bytes in
        for number in StandIn.numbers(in: bytes) { next = max(next, number + 1) }
        return bytes
      }
    }
  }

  /// Returns the stand-in of a secret.
  ///
  /// - Parameter isWanted: Whether to look for it everywhere from now on.
  mutating func standIn(for secret: String, isWanted: Bool = true) -> String {
    if StandIn.number(of: secret) != nil { return secret }
    let plain = secret.plain
    guard !plain.isEmpty else { return secret }
    let isNumeric = plain.hasOnlyDigits
    let number = numbers[plain] ?? next
    if numbers.updateValue(number, forKey: plain) == nil { next += 1 }
    // Short numbers occur by chance.
    if isWanted, !isNumeric || plain.utf8.count >= 8 { lookFor(plain, number) }
    return StandIn.text(number, isNumeric: isNumeric)
  }

  private mutating func lookFor(_ secret: String, _ number: Int) {
    guard forms[secret] == nil else { return }
    for form in KnownSecrets.forms(of: secret)
    where forms.updateValue(number, forKey: form) == nil {
      newForms.insert(form)
    }
  }

  /// Finds the secrets of entries, so that they are known wherever they occur.
  ///
  /// - Returns: The secrets that weren't known before; `nil` if there are none.
  @discardableResult
  mutating func learn(from entries: [HTTPArchive.Entry]) -> KnownSecrets? {
    for entry in entries {
      for field in entry.request.headers where field.name == .authorization { learn(basic: field) }
      _ = replaceNamed(in: entry)
    }
    guard !newForms.isEmpty else { return nil }
    defer { newForms = [] }
    known = KnownSecrets([Set(forms.keys)], capacity: Self.capacity)
    return KnownSecrets([newForms], capacity: Self.capacity)
  }

  /// A password is secret by itself, and so is a user's name that seems to be a key.
  private mutating func learn(basic field: Headers.Field) {
    guard let (scheme, credential) = field.value.cut(at: " "), scheme.lowercased() == "basic",
      let data = Data(base64Encoded: credential.trimmingSpaces())
    else { return }
    let pair = String(decoding: data, as: UTF8.self)
    guard let (user, password) = pair.cut(at: ":") else { return }
    _ = standIn(for: pair)
    if password.utf8.count >= KnownSecrets.shortest { _ = standIn(for: String(password)) }
    if password.utf8.count < KnownSecrets.shortest || user.utf8.count >= 20 {
      _ = standIn(for: String(user))
    }
  }
}

extension String {
  /// The text without the escapes of URLs or JSON.
  fileprivate var plain: String {
    if utf8.contains(UInt8(ascii: "\\")),
      let text = try? JSONValue(parsing: Data("\"\(self)\"".utf8)).string
    {
      return text
    }
    return removingPercentEncoding ?? self
  }

  /// Whether the text is a plain word, which would be found where it is no secret.
  var isWord: Bool {
    utf8.count <= 16
      && utf8.allSatisfy {
        $0.isASCIILetter || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-")
      }
  }
}

// MARK: - Entries

extension SecretStandIns {
  /// Returns an entry without the secrets that are known by now.
  mutating func redact(_ entry: HTTPArchive.Entry) -> HTTPArchive.Entry {
    replace(known, in: replaceNamed(in: entry))
  }

  /// Returns an entry without known secrets.
  mutating func replace(_ known: KnownSecrets, in entry: HTTPArchive.Entry) -> HTTPArchive.Entry {
    entry.mapTexts { replace(known, in: $0) }
  }

  private mutating func replaceNamed(in entry: HTTPArchive.Entry) -> HTTPArchive.Entry {
    var entry = entry
    entry.request.url = replaceNamed(in: entry.request.url)
    entry.request.headers = replaceNamed(in: entry.request.headers, isSent: true)
    entry.request.body = entry.request.body.map { replaceNamed(in: $0, isSent: true) }
    entry.response.headers = replaceNamed(in: entry.response.headers, isSent: false)
    entry.response.body = entry.response.body.map { replaceNamed(in: $0, isSent: false) }
    let reason = entry.failure?.reason ?? ""
    entry.failure?.reason = replaceNamed(in: reason)
    entry.comment = entry.comment.map { replaceNamed(in: $0) }
    return entry
  }

  /// Returns a text without secrets.
  mutating func redact(_ text: String) -> String {
    let bytes = replace(known, in: Array(replaceNamed(in: text).utf8))
    return String(decoding: bytes, as: UTF8.self)
  }
}

// MARK: - Headers

extension SecretStandIns {
  func isSecret(_ name: String) -> Bool {
    !rules.publicNames.contains(name) && Secrets.isSecret(name: name, or: rules.secretNames)
  }

  private mutating func replaceNamed(in headers: Headers, isSent: Bool) -> Headers {
    headers.reduce(into: Headers()) { $0.append($1.name, replace($1, isSent: isSent).value) }
  }

  private mutating func replace(_ field: Headers.Field, isSent: Bool) -> Headers.Field {
    var field = field
    if field.name == .cookie {
      field.value = field.value.parts(between: ";")
        .map { replaceValue(of: $0) }.joined(separator: "; ")
    } else if field.name == .setCookie {
      let parts = field.value.parts(between: ";", maxSplits: 1, omittingEmpty: false)
      field.value = ([replaceValue(of: parts[0])] + parts.dropFirst().map(String.init))
        .joined(separator: ";")
    } else if isSecret(field.name.rawValue) {
      field.value = replaceCredential(field.value, isSent: isSent)
    } else {
      let value = replaceNamed(in: Array(field.value.utf8), isSent: isSent)
      field.value = String(decoding: value, as: UTF8.self)
    }
    return field
  }

  /// Returns a cookie with another value.
  private mutating func replaceValue(of cookie: Substring) -> String {
    guard let (name, value) = cookie.cut(at: "="), !value.trimmingSpaces().isEmpty else {
      return cookie.trimmingSpaces()
    }
    let bare = value.trimmingSpaces()
    let isQuoted = bare.utf8.count > 2 && bare.begins(with: "\"") && bare.hasSuffix("\"")
    let content = isQuoted ? String(bare.dropFirst().dropLast()) : bare
    // A plain word, such as `consent=accepted`, would be found where it is no secret.
    let standIn = standIn(for: content, isWanted: !content.isWord)
    return "\(name.trimmingSpaces())=\(isQuoted ? "\"\(standIn)\"" : standIn)"
  }

  /// Returns a stand-in for a credential, behind the name of its scheme if it has one.
  private mutating func replaceCredential(_ value: String, isSent: Bool) -> String {
    guard !value.isEmpty else { return value }
    if let (scheme, credential) = value.cut(at: " "),
      Self.schemes.contains(scheme.lowercased()), !credential.isEmpty
    {
      return "\(scheme) \(standIn(for: credential.trimmingSpaces()))"
    }
    return standIn(for: value, isWanted: isSent || !value.isWord)
  }

  /// Schemes of authentication.
  private static let schemes: Set = [
    "basic", "bearer", "digest", "negotiate", "ntlm", "token", "apikey", "hawk", "dpop", "gnap",
    "aws4-hmac-sha256", "signature", "oauth",
  ]
}

extension HTTPArchive.Entry {
  /// Returns the entry with its texts and bodies changed.
  fileprivate func mapTexts(_ change: ([UInt8]) -> [UInt8]) -> HTTPArchive.Entry {
    var entry = self
    entry.request.url = request.url.mapBytes(change)
    entry.request.headers = request.headers.mapValues(change)
    entry.request.body = request.body?.mapBytes(change)
    entry.response.headers = response.headers.mapValues(change)
    entry.response.reason = response.reason.mapBytes(change)
    entry.response.body = response.body?.mapBytes(change)
    entry.failure?.reason = failure?.reason.mapBytes(change) ?? ""
    entry.comment = comment?.mapBytes(change)
    return entry
  }
}

extension String {
  fileprivate func mapBytes(_ change: ([UInt8]) -> [UInt8]) -> String {
    String(decoding: change(Array(utf8)), as: UTF8.self)
  }
}

extension Headers {
  fileprivate func mapValues(_ change: ([UInt8]) -> [UInt8]) -> Headers {
    reduce(into: Headers()) { $0.append($1.name, $1.value.mapBytes(change)) }
  }
}

extension HTTPArchive.Body {
  fileprivate func mapBytes(_ change: ([UInt8]) -> [UInt8]) -> Self {
    var body = self
    body.data = Data(change(Array(data)))
    if isComplete { body.size = body.data.count }
    return body
  }
}
