import Foundation

/// Which names mark a secret. The one definition for logs, errors, cURL text and redirects.
package enum Secrets {
  /// What stands in a secret's place.
  static let replacement = "<redacted>"

  /// Whether the value under a header's, query item's or cookie's name looks like a secret.
  ///
  /// Of a nested name, such as `user[key]` or `user.key`, each part counts.
  package static func isSecret(name: String) -> Bool {
    let plain = name.removingPercentEncoding ?? name
    return plain.lowercased().split { "[].".contains($0) }.contains { part in
      let letters = String(decoding: part.utf8.filter { isLetterOrDigit($0) }, as: UTF8.self)
      return words.contains(letters) || parts.contains { letters.contains($0) }
    }
  }

  /// Names that are secret only as a whole.
  private static let words: Set<String> = [
    "key", "sig", "auth", "code", "pwd", "pass", "pin", "otp", "sid", "pw", "hmac", "assertion",
    "xauth",
  ]

  /// What makes a name secret wherever it stands in it.
  private static let parts = [
    "authorization", "cookie", "token", "secret", "password", "passwd", "passphrase", "apikey",
    "credential", "signature", "session", "jwt", "privatekey", "accesskey", "authkey", "bearer",
  ]

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
      || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
