import Foundation
import ResourceLoading
import ResourcePrimitives

/// Replaces each secret of a recording with its own stand-in.
struct SecretStandIns: Sendable {
  private let rules: RecordingRedaction
  /// The numbers of the secrets, which are stored without escapes.
  private var numbers: [String: Int] = [:]
  /// The secrets that are searched for in all places.
  private var wanted: Set<String> = []
  private var known = KnownSecrets([])
  /// The secrets that haven't been looked for yet.
  private var new: Set<String> = []
  private var next = 1

  /// The most secrets that are looked for. If there are more, the longest ones are.
  private static let capacity = 4096

  init(_ rules: RecordingRedaction) {
    self.rules = rules
    for secret in rules.secrets.sorted() { _ = standIn(for: secret) }
  }
}

extension SecretStandIns {
  /// Reserves the stand-ins of an archive, so that no new secret gets one of them.
  mutating func reserveStandIns(of archive: HTTPArchive) {
    for entry in archive.entries {
      _ = entry.mapTexts { bytes in
        for number in StandIn.numbers(in: bytes) { next = max(next, number + 1) }
        return bytes
      }
    }
  }

  /// Returns the stand-in of a secret, which is searched for in all places from now on if
  /// `isWanted`.
  private mutating func standIn(for secret: String, isWanted: Bool = true) -> String {
    guard StandIn.number(of: secret) == nil, !secret.isEmpty else { return secret }
    let plain = secret.withoutEscapes
    // Forms encode a space as `+`.
    let key = plain.replacing(["+": " "])
    let isNumeric = plain.hasOnlyDigits
    let number = numbers[key] ?? next
    if numbers.updateValue(number, forKey: key) == nil { next += 1 }
    // Short numbers occur by coincidence.
    if isWanted, !isNumeric || plain.utf8.count >= 8, wanted.insert(plain).inserted {
      new.insert(plain)
      // What looks like an escape may be a part of the secret.
      if secret != plain, wanted.insert(secret).inserted { new.insert(secret) }
    }
    return StandIn.text(number, isNumeric: isNumeric)
  }

  /// Finds the secrets of entries, so that they can be replaced wherever they occur. Returns the
  /// new ones; `nil` if there are none.
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

  /// A password is a secret on its own, and so is a user name that looks like a key.
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

extension SecretStandIns {
  /// Returns an entry without its secrets and those known so far.
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
    entry.messages = entry.messages.map { redact($0) }
    return entry
  }

  /// Returns an entry without known secrets.
  mutating func replace(_ known: KnownSecrets, in entry: HTTPArchive.Entry) -> HTTPArchive.Entry {
    entry.mapTexts { redact($0, known, isText: false, isSent: false) }
  }

  mutating func redact(_ text: String) -> String { redact(text, isSent: true) }

  private mutating func redact(_ text: String, isSent: Bool) -> String {
    let redacted = redact(Array(text.utf8), known, isText: true, isSent: isSent)
    return String(decoding: redacted, as: UTF8.self)
  }

  private mutating func redact(_ message: HTTPArchive.Message) -> HTTPArchive.Message {
    var message = message
    switch message.content {
    case .text(let text): message.content = .text(redact(text, isSent: message.isSent))
    case .binary(let data):
      let isText = !data.prefix(512).contains(0)
      let bytes = redact(Array(data), known, isText: isText, isSent: message.isSent)
      message.content = .binary(Data(bytes))
    }
    return message
  }

  private mutating func redact(_ body: HTTPArchive.Body, isSent: Bool) -> HTTPArchive.Body {
    var body = body
    body.mediaType = body.mediaType.map { redact($0, isSent: isSent) }
    // A binary part may stand beside a part with a secret.
    let hasParts = body.mediaType?.lowercased().begins(with: "multipart/") ?? false
    let isText = hasParts || !body.data.prefix(512).contains(0)
    body.data = Data(redact(Array(body.data), known, isText: isText, isSent: isSent))
    if body.isComplete { body.size = body.data.count }
    return body
  }
}

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
      // A plain word, such as in `consent=accepted`, would also be found where it isn't a secret.
      let isWanted = !credential.utf8.isWord || isSent && !isCookie
      redacted += value[place..<credential.startIndex]
      redacted += standIn(for: String(credential), isWanted: isWanted)
      place = credential.endIndex
    }
    return redacted + value[place...]
  }
}

extension SecretStandIns {
  /// Replaces the secrets in a text. A value that was sent under a secret name is a secret
  /// elsewhere, too, and so is a received one that isn't a plain word. If `isText` is `false`, only
  /// known secrets are replaced.
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
    // In user info, the password is also a secret on its own.
    if isSent, let (_, password) = value.cut(at: ":"), password.utf8.count >= KnownSecrets.shortest
    {
      _ = standIn(for: String(password))
    }
    let standIn = standIn(for: value, isWanted: isSent || !value.utf8.isWord)
    guard !quote.isEmpty, let number = StandIn.number(of: standIn) else {
      return Array(standIn.utf8)
    }
    // A JSON number stays a number.
    return Double(value) == nil
      ? quote + standIn.utf8 + quote : Array(StandIn.text(number, isNumeric: true).utf8)
  }
}

extension [UInt8] {
  /// Whether a range is the name of a JSON member and a plain word. A sent `key=created` doesn't
  /// make that name a secret.
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
    entry.messages = messages.map { message in
      var message = message
      switch message.content {
      case .text(let text): message.content = .text(text.mapBytes(change))
      case .binary(let data): message.content = .binary(Data(change(Array(data))))
      }
      return message
    }
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
