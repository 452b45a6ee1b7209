import Foundation

/// Replaces the values of secret names in JSON and leaves all else as it stands there.
enum JSONRedaction {
  /// - Returns: `nil` for what isn't JSON.
  static func redact(_ json: Data) -> String? {
    guard let locator = JSONLocator(json), locator.syntaxMistake == nil else { return nil }
    let bytes = Array(json)
    var scanner = JSONScanner(bytes)
    var redacted: [UInt8] = []
    var copied = 0
    while let byte = scanner.current {
      guard byte == UInt8(ascii: "\"") else {
        scanner.advance()
        continue
      }
      guard let name = scanner.skipString() else { return nil }
      guard scanner.skip(":"), isSecret(name) else { continue }
      scanner.skipSpace()
      redacted += bytes[copied..<scanner.offset] + Array("\"\(Secrets.replacement)\"".utf8)
      guard scanner.skipValue() else { return nil }
      copied = scanner.offset
    }
    return String(bytes: redacted + bytes[copied...], encoding: .utf8)
  }

  /// Whether a member's name, its escapes as they stand there, marks a secret.
  private static func isSecret(_ name: ArraySlice<UInt8>) -> Bool {
    let quoted = Data([UInt8(ascii: "\"")] + name + [UInt8(ascii: "\"")])
    let plain = try? JSONDecoder().decode(String.self, from: quoted)
    return Secrets.isSecret(name: plain ?? String(decoding: name, as: UTF8.self))
  }
}
