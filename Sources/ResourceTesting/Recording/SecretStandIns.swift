import Foundation
import ResourceLoading
import ResourcePrimitives

/// Replaces the secrets of a recording, each by a stand-in of its own.
struct SecretStandIns: Sendable {
  private let rules: RecordingRedaction
  /// The numbers of secrets, without escapes.
  private var numbers: [String: Int] = [:]
  /// The secrets that are looked for everywhere.
  private var wanted: Set<String> = []
  private var known = KnownSecrets([])
  /// The secrets that aren't looked for yet.
  private var new: Set<String> = []
  /// The number of the next secret.
  private var next = 1

  /// The most secrets that are looked for; the longest ones if there are more.
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
  private mutating func standIn(for secret: String, isWanted: Bool = true) -> String {
    guard StandIn.number(of: secret) == nil, !secret.isEmpty else { return secret }
    let plain = secret.withoutEscapes
    // A form has a `+` for a space.
    let key = plain.replacing(["+": " "])
    let isNumeric = plain.hasOnlyDigits
    let number = numbers[key] ?? next
    if numbers.updateValue(number, forKey: key) == nil { next += 1 }
    // Short numbers occur by chance.
    if isWanted, !isNumeric || plain.utf8.count >= 8, wanted.insert(plain).inserted {
      new.insert(plain)
      // What looks like an escape may be a part of the secret.
      if secret != plain, wanted.insert(secret).inserted { new.insert(secret) }
    }
    return StandIn.text(number, isNumeric: isNumeric)
  }

  /// Finds the secrets of entries, so that they are known wherever they occur.
  ///
  /// - Returns: The secrets that weren't known before; `nil` if there are none.
  @discardableResult
  mutating func learn(from entries: [HTTPArchive.Entry]) -> KnownSecrets? {
    for entry in entries {
      for field in entry.request.headers where isSecret(field.name.rawValue) { learn(field) }
      _ = redact(entry)
    }
    guard !new.isEmpty else { return nil }
    defer { new = [] }
    known = KnownSecrets([wanted], capacity: Self.capacity)
    return KnownSecrets([new], capacity: Self.capacity)
  }

  /// A password is secret by itself, and a user's name that seems to be a key.
  private mutating func learn(_ field: Headers.Field) {
    let isBasic = field.value.lowercased().begins(with: "basic ")
    let secrets = field.repeatedSecrets.dropFirst()
    guard isBasic, secrets.count == 4, let user = secrets.dropLast().last,
      let password = secrets.last
    else {
      for secret in secrets where !secret.utf8.isWord { _ = standIn(for: secret) }
      return
    }
    for secret in secrets.prefix(2) { _ = standIn(for: secret) }
    if password.utf8.count >= KnownSecrets.shortest { _ = standIn(for: password) }
    if password.utf8.count < KnownSecrets.shortest || user.utf8.count >= 20 {
      _ = standIn(for: user)
    }
  }

  private func isSecret(_ name: String) -> Bool {
    !rules.publicNames.contains(name) && Secrets.isSecret(name: name, or: rules.secretNames)
  }
}

// MARK: - Entries

extension SecretStandIns {
  /// Returns an entry without the secrets that are known by now.
  mutating func redact(_ entry: HTTPArchive.Entry) -> HTTPArchive.Entry {
    var entry = entry
    entry.request.url = redact(entry.request.url)
    entry.request.headers = redact(entry.request.headers, isSent: true)
    entry.request.body = entry.request.body.map { redact($0, isSent: true) }
    entry.response.headers = redact(entry.response.headers, isSent: false)
    entry.response.body = entry.response.body.map { redact($0, isSent: false) }
    entry.response.reason = redact(entry.response.reason)
    let reason = entry.failure?.reason ?? ""
    entry.failure?.reason = redact(reason)
    entry.comment = entry.comment.map { redact($0) }
    return entry
  }

  /// Returns an entry without known secrets.
  mutating func replace(_ known: KnownSecrets, in entry: HTTPArchive.Entry) -> HTTPArchive.Entry {
    entry.mapTexts { redact($0, known, isText: false, isSent: false) }
  }

  /// Returns a text without secrets.
  mutating func redact(_ text: String) -> String { redact(text, isSent: true) }

  private mutating func redact(_ text: String, isSent: Bool) -> String {
    let redacted = redact(Array(text.utf8), known, isText: true, isSent: isSent)
    return String(decoding: redacted, as: UTF8.self)
  }

  private mutating func redact(_ body: HTTPArchive.Body, isSent: Bool) -> HTTPArchive.Body {
    var body = body
    body.mediaType = body.mediaType.map { redact($0, isSent: isSent) }
    // A part may be binary beside one that is secret.
    let hasParts = body.mediaType?.lowercased().begins(with: "multipart/") ?? false
    let isText = hasParts || !body.data.prefix(512).contains(0)
    body.data = Data(redact(Array(body.data), known, isText: isText, isSent: isSent))
    if body.isComplete { body.size = body.data.count }
    return body
  }
}

// MARK: - Headers

extension SecretStandIns {
  private mutating func redact(_ headers: Headers, isSent: Bool) -> Headers {
    headers.reduce(into: Headers()) { $0.append($1.name, redact($1, isSent: isSent)) }
  }

  private mutating func redact(_ field: Headers.Field, isSent: Bool) -> String {
    let value = field.value
    guard isSecret(field.name.rawValue) else { return redact(value, isSent: isSent) }
    guard !["true", "false"].contains(value.lowercased()) else { return value }
    let isCookie = field.name == .cookie || field.name == .setCookie
    var (redacted, place) = ("", value.startIndex)
    for credential in field.credentials {
      // A plain word, such as `consent=accepted`, would be found where it is no secret.
      let isWanted = !credential.utf8.isWord || isSent && !isCookie
      redacted += value[place..<credential.startIndex]
      redacted += standIn(for: String(credential), isWanted: isWanted)
      place = credential.endIndex
    }
    return redacted + value[place...]
  }
}

// MARK: - Texts

extension SecretStandIns {
  /// Replaces the secrets in a text. Every one that was sent under a secret name is a secret
  /// elsewhere, too; of those that were received, a plain word is no secret elsewhere.
  ///
  /// - Parameter isText: Whether names and forms count; otherwise only known secrets do.
  private mutating func redact(
    _ bytes: [UInt8], _ known: KnownSecrets, isText: Bool, isSent: Bool
  ) -> [UInt8] {
    var rules = SecretText.Rules(names: rules.secretNames)
    (rules.publicNames, rules.known) = (self.rules.publicNames, known)
    rules.entersStructures = true
    let findings = SecretText.findings(in: bytes, by: rules, isText: isText)
      .filter { $0.known == nil || !bytes.isName($0.range) }
    return SecretText.replace(findings, in: bytes[...]) { finding in
      let text = String(decoding: bytes[finding.range], as: UTF8.self)
      if let known = finding.known { return Array(standIn(for: known, isWanted: false).utf8) }
      return replace(text, isSent: isSent, finding.quote)
    }
  }

  private mutating func replace(_ value: String, isSent: Bool, _ quote: [UInt8]) -> [UInt8] {
    // User info: the password by itself, too.
    if isSent, let (_, password) = value.cut(at: ":"), password.utf8.count >= KnownSecrets.shortest
    {
      _ = standIn(for: String(password))
    }
    let standIn = standIn(for: value, isWanted: isSent || !value.utf8.isWord)
    guard !quote.isEmpty, let number = StandIn.number(of: standIn) else {
      return Array(standIn.utf8)
    }
    // A number of JSON stays one.
    return Double(value) == nil
      ? quote + standIn.utf8 + quote : Array(StandIn.text(number, isNumeric: true).utf8)
  }
}

extension [UInt8] {
  /// Whether a range is the name of a member of JSON, and a word. A sent `key=created` doesn't make
  /// a secret of that.
  fileprivate func isName(_ range: Range<Int>) -> Bool {
    let quote = UInt8(ascii: "\"")
    guard range.lowerBound > 0, self[range.lowerBound - 1] == quote,
      range.upperBound < count, self[range.upperBound] == quote,
      self[(range.upperBound + 1)...].first(where: { $0 > 0x20 }) == UInt8(ascii: ":")
    else { return false }
    return self[range].isWord
  }
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
    body.mediaType = mediaType?.mapBytes(change)
    if isComplete { body.size = body.data.count }
    return body
  }
}
