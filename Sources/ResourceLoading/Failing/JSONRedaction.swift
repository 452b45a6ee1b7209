import Foundation

/// Replaces the values of secret names in JSON and leaves all else as it stands there.
enum JSONRedaction {
  /// - Returns: `nil` for what isn't JSON.
  static func redact(_ json: Data) -> String? {
    guard let locator = JSONLocator(json), locator.mistake == nil else { return nil }
    var scanner = JSONScanner(Array(json))
    var redacted: [UInt8] = []
    var copied = 0
    while let byte = scanner.current {
      guard byte == UInt8(ascii: "\"") else {
        scanner.advance()
        continue
      }
      guard let name = try? scanner.string() else { return nil }
      guard scanner.skip(UInt8(ascii: ":")), Secrets.isSecret(name: scanner.text(name)) else {
        continue
      }
      scanner.skipSpace()
      redacted += scanner.bytes[copied..<scanner.offset] + Array("\"\(Secrets.replacement)\"".utf8)
      guard (try? scanner.value()) != nil else { return nil }
      copied = scanner.offset
    }
    return String(bytes: redacted + scanner.bytes[copied...], encoding: .utf8)
  }
}
