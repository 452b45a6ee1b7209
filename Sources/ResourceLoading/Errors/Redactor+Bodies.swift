import Foundation

// The secrets in bodies of requests: what a server may repeat without the name that would give it away.
extension Redactor {
  /// The number of bytes of a body in which secrets are looked for.
  private static let searchedSize = 1 << 20

  /// Adds the secrets of a body that was sent: the values of secret names in its bytes, and the parts of a multipart that
  /// have such names. Files aren't read.
  mutating func note(body: WireBody) {
    if case .multipart(let multipart)? = body.source.body?.content {
      for part in multipart.parts { note(part: part) }
      return
    }
    var bytes: [UInt8] = []
    for case .data(let data) in body.segments where bytes.count < Self.searchedSize {
      bytes += data.prefix(Self.searchedSize - bytes.count)
    }
    note(sent: bytes)
  }

  private mutating func note(part: Multipart.Part) {
    guard let body = try? part.body.wireBody(encoder: .plain) else { return }
    guard Secrets.isSecret(name: part.name, or: names) else { return note(body: body) }
    for case .data(let data) in body.segments.prefix(1) where data.count <= 4 << 10 {
      note(sent: String(decoding: data, as: UTF8.self))
    }
  }

  private mutating func note(sent bytes: [UInt8]) {
    for finding in SecretText.findings(in: bytes, names: names) {
      note(sent: String(decoding: bytes[finding.range], as: UTF8.self))
    }
  }

  /// Adds a value as it is, and without the escapes of a form, of JSON and of XML.
  private mutating func note(sent value: String) {
    var values: Set = [value, value.replacing(["+": " "])]
    if value.utf8.contains(UInt8(ascii: "\\")),
      let plain = try? JSONDecoder().decode(String.self, from: Data("\"\(value)\"".utf8))
    {
      values.insert(plain)
    }
    if value.utf8.contains(UInt8(ascii: "&")) { values.insert(value.withoutEntities) }
    for value in values { sentInBodies.formUnion(KnownSecrets.forms(of: value)) }
  }
}

extension String {
  /// The text with the five entities of XML replaced (XML 1.0 section 4.6).
  fileprivate var withoutEntities: String {
    let entities = [
      ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&"),
    ]
    return entities.reduce(self) { $0.replacingOccurrences(of: $1.0, with: $1.1) }
  }
}
