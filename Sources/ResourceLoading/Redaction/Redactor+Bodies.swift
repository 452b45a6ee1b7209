import Foundation

// The secrets in bodies of requests: what a server may repeat without the name that would give it
// away.
extension Redactor {
  /// The number of bytes of a body in which secrets are looked for.
  private static let searchedSize = 1 << 20

  /// Adds the secrets of a body that was sent: the values of secret names in its bytes, and the
  /// parts of a multipart that have such names. Files aren't read.
  mutating func note(body: WireBody) {
    if case .multipart(let multipart)? = body.source.body?.content {
      for part in multipart.parts { note(part: part) }
      return
    }
    var bytes: [UInt8] = []
    for case .data(let data) in body.segments where bytes.count < Self.searchedSize {
      bytes += data.prefix(Self.searchedSize - bytes.count)
    }
    sentInBodies.formUnion(secrets(in: bytes))
  }

  private mutating func note(part: Multipart.Part) {
    guard let body = try? part.body.wireBody(encoder: .plain) else { return }
    guard isSecret(part.name) else { return note(body: body) }
    for case .data(let data) in body.segments.prefix(1) where data.count <= 4 << 10 {
      sentInBodies.insert(String(decoding: data, as: UTF8.self))
    }
  }
}
