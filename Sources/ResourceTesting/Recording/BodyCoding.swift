import Foundation
import ResourceLoading
import ResourcePrimitives

enum BodyCoding {
  case text, base64, hexadecimal

  /// The coding that a file names. Polly.JS marks a binary body, and names no coding if it is
  /// hexadecimal.
  init(_ content: KeyedDecodingContainer<HTTPArchive.Key>) {
    let name = (content.text("encoding") ?? content.text("_encoding"))?.lowercased()
    let isBinary = (try? content.decodeIfPresent(Bool.self, forKey: "_isBinary")) ?? false
    switch name {
    case "base64", "base64url": self = .base64
    case "hex": self = .hexadecimal
    case nil where isBinary: self = .hexadecimal
    // Other names are charsets, or content codings that have been removed.
    default: self = .text
    }
  }

  /// Returns the bytes of a text; `nil` if it can't be decoded. Polly.JS encodes a list of strings
  /// as one string.
  func data(of text: String) -> Data? {
    if self == .text { return Data(text.utf8) }
    guard text.utf8.first == UInt8(ascii: "["),
      let pieces = try? JSONDecoder().decode([String].self, from: Data(text.utf8))
    else { return bytes(of: text) }
    var data = Data()
    for piece in pieces {
      guard let bytes = bytes(of: piece) else { return nil }
      data += bytes
    }
    return data
  }

  private func bytes(of text: String) -> Data? {
    let digits = text.utf8.filter { $0 > 0x20 }
    return self == .hexadecimal ? Data(hexadecimal: digits) : Self.bytes(base64: digits)
  }

  /// Accepts the URL-safe alphabet, missing padding, and a `data:` URL.
  private static func bytes(base64 digits: [UInt8]) -> Data? {
    let isURL = digits.starts(with: "data:".utf8)
    var bare = isURL ? Array(digits.drop { $0 != UInt8(ascii: ",") }.dropFirst()) : digits
    for index in bare.indices {
      switch bare[index] {
      case UInt8(ascii: "-"): bare[index] = UInt8(ascii: "+")
      case UInt8(ascii: "_"): bare[index] = UInt8(ascii: "/")
      default: break
      }
    }
    while bare.last == UInt8(ascii: "=") { bare.removeLast() }
    bare += Array(repeating: UInt8(ascii: "="), count: (4 - bare.count % 4) % 4)
    return Data(base64Encoded: Data(bare))
  }
}
