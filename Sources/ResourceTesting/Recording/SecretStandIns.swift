import Foundation
import ResourceLoading

/// Replaces the secrets of a recording, each by a stand-in of its own.
struct SecretStandIns: Sendable {
  private let rules: RecordingRedaction
  /// The numbers of secrets, without escapes.
  private var numbers: [String: Int] = [:]
  /// The numbers of known secrets by the forms in which they are looked for.
  private var forms: [String: Int] = [:]
  private var known = KnownSecrets([])
  /// The forms that aren't looked for yet.
  private var newForms: Set<String> = []
  /// The number of the next secret.
  private var next = 1

  /// How many forms are looked for; the longest, if there are more.
  private static let capacity = 4096

  init(_ rules: RecordingRedaction) {
    self.rules = rules
    for secret in rules.secrets.sorted() { _ = standIn(for: secret) }
  }
}

// MARK: - Secrets

extension SecretStandIns {
  /// Doesn't use the stand-ins of an archive for other secrets.
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
    if StandIn.number(of: secret) != nil { return secret }
    let plain = secret.plain
    guard !plain.isEmpty else { return secret }
    let isNumeric = plain.isNumeric
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
  /// - Returns: What hasn't been looked for before; `nil` if there is nothing new.
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

  fileprivate var isNumeric: Bool {
    utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }

  /// Whether the text is a plain word, which would be found where it is no secret.
  fileprivate var isWord: Bool {
    utf8.count <= 16
      && utf8.allSatisfy {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20) || $0 == UInt8(ascii: "_")
          || $0 == UInt8(ascii: "-")
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
  private func isSecret(_ name: String) -> Bool {
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
      field.value = replaceCredential(field.value)
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
  private mutating func replaceCredential(_ value: String) -> String {
    guard !value.isEmpty else { return value }
    if let (scheme, credential) = value.cut(at: " "),
      Self.schemes.contains(scheme.lowercased()), !credential.isEmpty
    {
      return "\(scheme) \(standIn(for: credential.trimmingSpaces()))"
    }
    return standIn(for: value)
  }

  /// Schemes of authentication.
  private static let schemes: Set = [
    "basic", "bearer", "digest", "negotiate", "ntlm", "token", "apikey", "hawk", "dpop", "gnap",
    "aws4-hmac-sha256", "signature", "oauth",
  ]
}

// MARK: - Bodies and texts

extension SecretStandIns {
  private mutating func replaceNamed(in body: HTTPArchive.Body, isSent: Bool) -> HTTPArchive.Body {
    var body = body
    let type = MediaType(rawValue: body.mediaType ?? "")
    let bytes = Array(body.data)
    if type.essence.hasPrefix("multipart/"), let boundary = type.parameter("boundary") {
      body.data = Data(replaceNamed(inParts: bytes, between: boundary, isSent: isSent))
    } else if !body.data.prefix(512).contains(0) {
      body.data = Data(replaceNamed(in: bytes, isSent: isSent))
    }
    if body.isComplete { body.size = body.data.count }
    return body
  }

  private mutating func replaceNamed(in text: String) -> String {
    String(decoding: replaceNamed(in: Array(text.utf8), isSent: true), as: UTF8.self)
  }

  /// Replaces the values under the names of secrets. Every one that was sent is a secret elsewhere, too; of those that
  /// were received, a plain word is no secret elsewhere.
  private mutating func replaceNamed(in bytes: [UInt8], isSent: Bool) -> [UInt8] {
    let findings = SecretText.findings(
      in: bytes, names: rules.secretNames, publicNames: rules.publicNames)
    var (replaced, copied) = ([UInt8](), 0)
    for finding in findings {
      replaced += bytes[copied..<finding.range.lowerBound]
      let value = bytes[finding.range]
      replaced +=
        finding.needsQuotes
        ? replaceJSON(value, isSent: isSent)
        : Array(replaceValue(String(decoding: value, as: UTF8.self), isSent: isSent).utf8)
      copied = finding.range.upperBound
    }
    return replaced + bytes[copied...]
  }

  private mutating func replaceValue(_ value: String, isSent: Bool) -> String {
    // User info: the password by itself, too.
    if isSent, let (_, password) = value.cut(at: ":"), password.utf8.count >= KnownSecrets.shortest
    {
      _ = standIn(for: String(password))
    }
    // A form's spaces.
    if isSent, value.utf8.contains(UInt8(ascii: "+")) {
      _ = standIn(for: value.replacing(["+": " "]))
    }
    return standIn(for: value, isWanted: isSent || !value.isWord)
  }

  private mutating func replace(_ known: KnownSecrets, in bytes: [UInt8]) -> [UInt8] {
    let findings = known.findings(in: bytes)
    guard !findings.isEmpty else { return bytes }
    var (replaced, copied) = ([UInt8](), 0)
    for range in findings {
      replaced += bytes[copied..<range.lowerBound]
      let text = String(decoding: bytes[range], as: UTF8.self)
      replaced +=
        (forms[text].map { StandIn.text($0, isNumeric: text.isNumeric) }
        ?? standIn(for: text, isWanted: false)).utf8
      copied = range.upperBound
    }
    return replaced + bytes[copied...]
  }
}

// MARK: - JSON

extension SecretStandIns {
  /// Replaces what is in a value of JSON without quotes of its own: a number by a number, and the texts in a list or an
  /// object, so that it can still be decoded. Names of members stay if they are words.
  private mutating func replaceJSON(_ value: ArraySlice<UInt8>, isSent: Bool) -> [UInt8] {
    var (replaced, place) = ([UInt8](), value.startIndex)
    while place < value.endIndex {
      let byte = value[place]
      if byte == UInt8(ascii: "\"") {
        let end = value.endOfString(from: place + 1)
        let text = String(decoding: value[place + 1..<end], as: UTF8.self)
        let isName = value[min(end + 1, value.endIndex)...].first { $0 > 0x20 } == UInt8(ascii: ":")
        let keeps = text.isEmpty || isName && text.isWord
        replaced += (keeps ? "\"\(text)\"" : "\"\(replaceValue(text, isSent: isSent))\"").utf8
        place = min(end + 1, value.endIndex)
      } else if "{}[]:, \t\r\n".utf8.contains(byte) {
        replaced.append(byte)
        place += 1
      } else {
        let end =
          value[place...].firstIndex { "{}[]:, \t\r\n\"".utf8.contains($0) } ?? value.endIndex
        replaced +=
          replaceBare(String(decoding: value[place..<end], as: UTF8.self), isSent: isSent)
          .utf8
        place = end
      }
    }
    return replaced
  }

  private mutating func replaceBare(_ text: String, isSent: Bool) -> String {
    if ["true", "false", "null"].contains(text) { return text }
    let standIn = replaceValue(text, isSent: isSent)
    // That of digits is a number itself.
    guard let number = StandIn.number(of: standIn) else { return standIn }
    return Double(text) == nil ? "\"\(standIn)\"" : StandIn.text(number, isNumeric: true)
  }
}

extension ArraySlice<UInt8> {
  /// The place of the quote that ends a string of JSON.
  fileprivate func endOfString(from start: Int) -> Int {
    var place = start
    while place < endIndex, self[place] != UInt8(ascii: "\"") {
      place += self[place] == UInt8(ascii: "\\") ? 2 : 1
    }
    return Swift.min(place, endIndex)
  }
}

// MARK: - Multipart

extension SecretStandIns {
  /// Replaces the secrets in the parts of a multipart body (RFC 7578), of which each is known by its name.
  private mutating func replaceNamed(
    inParts bytes: [UInt8], between boundary: String, isSent: Bool
  ) -> [UInt8] {
    let mark = Array("--\(boundary)".utf8)
    var (replaced, rest) = ([UInt8](), bytes[...])
    while let range = rest.firstRange(of: mark) {
      replaced += replacePart(rest[..<range.lowerBound], isSent: isSent) + mark
      rest = rest[range.upperBound...]
    }
    return replaced + replacePart(rest, isSent: isSent)
  }

  private mutating func replacePart(_ part: ArraySlice<UInt8>, isSent: Bool) -> [UInt8] {
    guard let blank = part.firstRange(of: Array("\r\n\r\n".utf8)) else {
      return replaceNamed(in: Array(part), isSent: isSent)
    }
    let head = String(decoding: part[..<blank.lowerBound], as: UTF8.self)
    let hasLineEnd =
      part.suffix(2).elementsEqual("\r\n".utf8) && part.endIndex - 2 >= blank.upperBound
    let content = part[blank.upperBound..<(hasLineEnd ? part.endIndex - 2 : part.endIndex)]
    let name = head.components(separatedBy: "\r\n").lazy
      .compactMap { $0.cut(at: ":") }
      .first { $0.before.trimmingSpaces().lowercased() == "content-disposition" }
      .flatMap { MediaType(rawValue: $0.behind.trimmingSpaces()).parameter("name") }
    var replaced = Array(content)
    if let name, isSecret(name), !content.isEmpty {
      replaced = Array(
        replaceValue(String(decoding: content, as: UTF8.self), isSent: isSent).utf8)
    } else if !content.prefix(512).contains(0) {
      replaced = replaceNamed(in: replaced, isSent: isSent)
    }
    return Array(part[..<blank.upperBound]) + replaced + (hasLineEnd ? Array("\r\n".utf8) : [])
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
    if isComplete { body.size = body.data.count }
    return body
  }
}
