import Foundation
import ResourcePrimitives

extension Headers.Field {
  /// The pieces of the value that are secret, if the field itself is: the values of cookies, and
  /// what follows the name of a scheme.
  package var credentials: [Substring] {
    if name == .cookie {
      return value.parts(between: ";").compactMap(Self.valueOfPair)
    }
    if name == .setCookie {
      return [value.parts(between: ";").first].compactMap { $0.flatMap(Self.valueOfPair) }
    }
    guard let (scheme, credential) = value.cut(at: " "),
      Self.schemes.contains(scheme.lowercased())
    else { return [value[...]] }
    return [credential]
  }

  /// The secrets of a credential that may be repeated elsewhere: the whole, what follows the name
  /// of a scheme, the user and password of `Basic`, and the secret parameters of other schemes.
  package var repeatedSecrets: [String] {
    if name == .cookie || name == .setCookie { return credentials.map(String.init) }
    let credential = value.cut(at: " ")?.behind.trimmingSpaces() ?? value
    var secrets = [value, credential]
    if value.lowercased().begins(with: "basic "), let data = Data(base64Encoded: credential) {
      let pair = String(decoding: data, as: UTF8.self)
      secrets += [pair] + pair.parts(between: ":", maxSplits: 1).map(String.init)
    }
    for parameter in credential.parts(between: ",") {
      let name = (parameter.cut(at: "=")?.before ?? parameter).trimmingSpaces()
      if Secrets.isSecret(name: name) || name.lowercased() == "response" {
        secrets += Self.valueOfPair(parameter).map { [String($0)] } ?? []
      }
    }
    return secrets
  }

  /// Returns the text after the first `=`, without spaces and quotes; `nil` if there is none.
  private static func valueOfPair(_ pair: Substring) -> Substring? {
    guard let value = pair.cut(at: "=")?.behind else { return nil }
    let isSpace: (Unicode.Scalar) -> Bool = { $0 == " " || $0 == "\t" }
    var scalars = value.unicodeScalars.drop(while: isSpace)
    while let last = scalars.last, isSpace(last) { scalars.removeLast() }
    if scalars.count > 1, scalars.first == "\"", scalars.last == "\"" {
      scalars = scalars.dropFirst().dropLast()
    }
    return scalars.isEmpty ? nil : Substring(scalars)
  }

  /// Schemes of authentication.
  private static let schemes: Set = [
    "basic", "bearer", "digest", "negotiate", "ntlm", "token", "apikey", "hawk", "dpop", "gnap",
    "aws4-hmac-sha256", "signature", "oauth",
  ]
}
