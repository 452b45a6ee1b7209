import Foundation

/// Replaces the secrets of one load wherever they occur: under their own names, and as plain text in what a server or
/// the platform reports.
struct Redactor: Sendable {
  let names: Set<String>?
  /// The secrets that were sent, which are recognised first.
  private var own: Set<String> = []
  /// The secrets in bodies that were sent.
  var sentInBodies: Set<String> = []
  /// The secrets that servers sent.
  private var received: Set<String> = []

  /// Stores the secrets of a request.
  init(_ request: Request) {
    names = request.options.secretNames
    note(url: request.url.absoluteString)
    note(headers: request.headers)
  }

  /// Adds the secrets of a URL.
  mutating func note(url: String) {
    let bytes = Array(url.utf8)
    for finding in SecretText.findings(in: bytes, names: names) {
      let value = String(decoding: bytes[finding.range], as: UTF8.self)
      own.formUnion(KnownSecrets.forms(of: value))
      // A user and a password.
      for part in value.parts(between: ":", maxSplits: 1) {
        own.formUnion(KnownSecrets.forms(of: String(part)))
      }
    }
  }

  /// Adds the secrets of a request's headers.
  mutating func note(headers: Headers) {
    for field in headers where isSecret(field.name) {
      for value in Self.values(of: field) { own.formUnion(KnownSecrets.forms(of: value)) }
    }
  }

  /// Adds all secrets that were sent in a request, and over its connection.
  mutating func note(sent request: WireRequest, _ identity: RequestIdentity) {
    note(url: request.url.absoluteString)
    note(headers: identity.headers)
    if let connection = identity.connection { note(url: connection) }
    if let body = request.body { note(body: body) }
  }

  /// Adds the secrets of a response's headers; only the values of cookies.
  mutating func note(received headers: Headers) {
    for field in headers where isSecret(field.name) {
      let value =
        field.name == .setCookie
        ? Self.value(of: field.value.parts(between: ";").first ?? "") : field.value
      received.formUnion(KnownSecrets.forms(of: value))
    }
  }
}

extension Redactor {
  private func isSecret(_ name: Headers.Name) -> Bool {
    Secrets.isSecret(name: name.rawValue, or: names)
  }

  /// Returns the secret texts in a field of a request.
  private static func values(of field: Headers.Field) -> [String] {
    if field.name == .cookie { return field.value.parts(between: ";").map { value(of: $0) } }
    let credential = field.value.parts(between: " ", maxSplits: 1).last.map(String.init) ?? ""
    let isBasic = field.value.lowercased().begins(with: "basic ")
    let pair =
      isBasic
      ? Data(base64Encoded: credential).map { String(decoding: $0, as: UTF8.self) } ?? "" : ""
    let parameters = credential.parts(between: ",").filter { parameter in
      let name = (parameter.cut(at: "=")?.before ?? parameter).trimmingSpaces()
      return Secrets.isSecret(name: name) || ["response", "cnonce"].contains(name.lowercased())
    }
    return [field.value, credential, pair]
      + pair.parts(between: ":", maxSplits: 1).map(String.init)
      + parameters.map { value(of: $0) }
  }

  /// Returns the text behind the first `=`, without quotes.
  private static func value(of pair: Substring) -> String {
    let value = (pair.cut(at: "=")?.behind ?? "").trimmingSpaces()
    let scalars = value.unicodeScalars
    return scalars.count > 1 && scalars.first == "\"" && scalars.last == "\""
      ? String(scalars.dropFirst().dropLast()) : value
  }
}

extension Redactor {
  /// The known secrets, prepared to search several texts for them.
  var known: KnownSecrets { KnownSecrets([own, sentInBodies, received]) }

  /// Returns a text without known secrets and without values that are secret by their names.
  func redact(_ text: String, _ known: KnownSecrets) -> String {
    let bytes = Array(text.utf8)
    let findings = findings(in: bytes, known)
    guard !findings.isEmpty else { return text }
    return String(decoding: SecretText.redact(bytes[...], findings), as: UTF8.self)
  }

  /// A text that goes on, where it begins or ends with `…`: a secret that was cut there is replaced as well.
  func redact(cut text: String, _ known: KnownSecrets) -> String {
    var bytes = Array(redact(text, known).utf8)
    let (mark, replacement) = (Array("…".utf8), Array(Secrets.replacement.utf8))
    if bytes.starts(with: mark) {
      let cut = known.cutText(atStartOf: bytes[mark.count...])
      if cut > 0 { bytes.replaceSubrange(mark.count..<mark.count + cut, with: replacement) }
    }
    if bytes.suffix(mark.count).elementsEqual(mark) {
      let end = bytes.count - mark.count
      let cut = known.cutText(atEndOf: bytes[..<end])
      if cut > 0 { bytes.replaceSubrange(end - cut..<end, with: replacement) }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns a body without known secrets and, if it is text, without values that are secret by their names.
  func redact(_ body: Data, _ known: KnownSecrets) -> Data {
    let bytes = Array(body)
    let findings =
      bytes.prefix(512).contains(0)
      ? known.findings(in: bytes).map { SecretText.Finding(range: $0) }
      : findings(in: bytes, known)
    return findings.isEmpty ? body : Data(SecretText.redact(bytes[...], findings))
  }

  /// Where secrets stand, those that are known and those that their names give away. Neither is looked for in what
  /// the other leaves: a replacement that ends within a secret would leave the rest of it.
  private func findings(in bytes: [UInt8], _ known: KnownSecrets) -> [SecretText.Finding] {
    let named = SecretText.findings(in: bytes, names: names)
    let found = known.findings(in: bytes)
    guard !found.isEmpty else { return named }
    let all = named + found.map { SecretText.Finding(range: $0) }
    return all.sorted { $0.range.lowerBound < $1.range.lowerBound }
      .reduce(into: []) { $0.merge($1) }
  }

  /// Returns a URL without user info and secrets. A fragment with pairs may consist of tokens (OAuth's implicit grant)
  /// and is left out.
  func redact(url: String, _ known: KnownSecrets) -> String {
    redact(url.withoutPairsInFragment, known)
  }

  /// Returns headers with the values of secret ones replaced, and secrets in the others, too.
  func redact(_ headers: Headers, _ known: KnownSecrets) -> Headers {
    Headers(headers.map { redact($0, known) })
  }

  /// Returns a field without its value if that is secret, and otherwise without secrets in it.
  func redact(_ field: Headers.Field, _ known: KnownSecrets) -> Headers.Field {
    let value = isSecret(field.name) ? Secrets.replacement : redact(field.value, known)
    return Headers.Field(field.name, value)
  }
}

extension String {
  /// Returns a URL without user info and without values that are secret by their names.
  var redactedURL: String { redactedURL() }

  /// Returns a URL without user info and without values that are secret by their names.
  ///
  /// - Parameter names: Further names of secrets: ``Request/Options/secretNames``.
  package func redactedURL(secretNames names: Set<String>? = nil) -> String {
    SecretText.redact(withoutPairsInFragment, names: names)
  }

  fileprivate var withoutPairsInFragment: String {
    let mark = UInt8(ascii: "#")
    // Hardly any URL has one, and the view's own search takes several times as long.
    guard utf8.withContiguousStorageIfAvailable({ $0.contains(mark) }) != false,
      let hash = utf8.firstIndex(of: mark),
      self[hash...].utf8.contains(UInt8(ascii: "="))
    else { return self }
    return String(self[..<hash])
  }
}

extension [SecretText.Finding] {
  /// Adds what doesn't begin before the last one, or makes one of the two.
  fileprivate mutating func merge(_ next: SecretText.Finding) {
    guard let last, next.range.lowerBound < last.range.upperBound else { return append(next) }
    let end = Swift.max(last.range.upperBound, next.range.upperBound)
    self[count - 1] = SecretText.Finding(
      range: last.range.lowerBound..<end, needsQuotes: last.needsQuotes || next.needsQuotes)
  }
}
