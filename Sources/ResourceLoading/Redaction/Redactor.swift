import Foundation
import ResourcePrimitives

/// Replaces the secrets of one load wherever they occur: under their own names, and as plain text
/// in what a server or the platform reports.
struct Redactor: Sendable {
  let names: Set<String>?
  /// The secrets that were sent, which are recognised first.
  private var own: Set<String> = []
  /// The secrets in bodies that were sent.
  var sentInBodies: Set<String> = []
  /// The secrets that servers sent.
  private var received: Set<String> = []

  init(secretNames names: Set<String>?) { self.names = names }

  init(_ request: Request) {
    self.init(secretNames: request.options.secretNames)
    note(url: request.url.absoluteString)
    note(headers: request.headers)
  }

  mutating func note(url: String) { own.formUnion(secrets(in: Array(url.utf8))) }

  /// Returns the secrets of a text that was sent.
  func secrets(in bytes: [UInt8]) -> Set<String> {
    var secrets: Set<String> = []
    for finding in SecretText.findings(in: bytes, by: SecretText.Rules(names: names)) {
      let value = String(decoding: bytes[finding.range], as: UTF8.self)
      // A user and a password.
      secrets.formUnion(value.withoutEscapes.parts(between: ":", maxSplits: 1).map(String.init))
      secrets.insert(value)
    }
    return secrets
  }

  /// Adds the secrets of a request's headers: the values of secret ones, and what is secret in
  /// others, such as in a URL.
  mutating func note(headers: Headers) {
    for field in headers {
      own.formUnion(
        isSecret(field.name) ? Set(field.repeatedSecrets) : secrets(in: Array(field.value.utf8)))
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
      received.formUnion(field.credentials.map(String.init))
    }
  }

  func isSecret(_ name: String) -> Bool { Secrets.isSecret(name: name, or: names) }

  private func isSecret(_ name: Headers.Name) -> Bool { isSecret(name.rawValue) }
}

extension Redactor {
  /// The known secrets, prepared to search several texts for them.
  var known: KnownSecrets { KnownSecrets([own, sentInBodies, received]) }

  private func rules(_ known: KnownSecrets) -> SecretText.Rules {
    var rules = SecretText.Rules(names: names)
    rules.known = known
    return rules
  }

  /// Returns a text without known secrets and without values that are secret by their names.
  func redact(_ text: String, _ known: KnownSecrets) -> String {
    SecretText.redact(text, by: rules(known))
  }

  /// Returns a text without secrets. Where it begins or ends with `…`, or secrets were replaced by
  /// their names, a secret that was cut there is replaced as well.
  func redact(cut text: String, _ known: KnownSecrets) -> String {
    let bytes = Array(redact(text, known).utf8)
    var (redacted, place) = ([UInt8](), 0)
    while place < bytes.count {
      let mark = Self.marks.first { bytes[place...].starts(with: $0) } ?? []
      redacted += mark
      place += mark.count
      let end = (place..<bytes.count).first { start in
        Self.marks.contains { bytes[start...].starts(with: $0) }
      }
      redacted += withoutCutSecrets(
        Array(bytes[place..<(end ?? bytes.count)]), known, isCutAtStart: !mark.isEmpty,
        isCutAtEnd: end != nil)
      place = end ?? bytes.count
    }
    return String(decoding: redacted, as: UTF8.self)
  }

  /// What appears where the rest of a secret may be missing.
  private static let marks = ["…", Secrets.replacement].map { Array($0.utf8) }

  private func withoutCutSecrets(
    _ piece: [UInt8], _ known: KnownSecrets, isCutAtStart: Bool, isCutAtEnd: Bool
  ) -> [UInt8] {
    var piece = piece
    let replacement = Array(Secrets.replacement.utf8)
    let start = isCutAtStart ? known.cutText(atStartOf: piece) : 0
    if start > 0 { piece.replaceSubrange(..<start, with: replacement) }
    let end = isCutAtEnd ? known.cutText(atEndOf: piece) : 0
    if end > 0 { piece.replaceSubrange((piece.count - end)..., with: replacement) }
    return piece
  }

  /// Returns a body without known secrets and, if it is text, without values that are secret by
  /// their names.
  func redact(_ body: Data, _ known: KnownSecrets) -> Data {
    let bytes = Array(body)
    let findings = SecretText.findings(
      in: bytes, by: rules(known), isText: !bytes.prefix(512).contains(0))
    return findings.isEmpty ? body : Data(SecretText.redact(bytes[...], findings))
  }

  /// Returns a URL without user info and secrets. A fragment with pairs may consist of tokens
  /// (OAuth's implicit grant) and is left out.
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

/// Replaces the secrets of a URL and of the headers that were sent with it, in texts about the
/// request.
package struct TextRedactor {
  private let redactor: Redactor
  private let known: KnownSecrets

  package init(url: String, _ headers: Headers, secretNames: Set<String>?) {
    var redactor = Redactor(secretNames: secretNames)
    redactor.note(url: url)
    redactor.note(headers: headers)
    self.redactor = redactor
    known = redactor.known
  }

  package func redact(_ text: String) -> String { redactor.redact(text, known) }

  package func redact(url: String) -> String { redactor.redact(url: url, known) }
}

extension String {
  /// Returns a URL without user info and without values that are secret by their names.
  var redactedURL: String { redactedURL() }

  /// Returns a URL without user info and without values that are secret by their names or by
  /// additional `names`.
  package func redactedURL(secretNames names: Set<String>? = nil) -> String {
    SecretText.redact(withoutPairsInFragment, names: names)
  }

  fileprivate var withoutPairsInFragment: String {
    let mark = UInt8(ascii: "#")
    // Hardly any URL has one, and the view's own search takes several times as long.
    guard unsafe utf8.withContiguousStorageIfAvailable({ unsafe $0.contains(mark) }) != false,
      let hash = utf8.firstIndex(of: mark),
      self[hash...].utf8.contains(UInt8(ascii: "="))
    else { return self }
    return String(self[..<hash])
  }
}
