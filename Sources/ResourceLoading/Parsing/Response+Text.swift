import Foundation

extension Response {
  /// The body as text.
  ///
  /// The charset is told by a byte order mark, else by `Content-Type`, else it is UTF-8.
  ///
  /// - Returns: The text, without a byte order mark; empty where there is no body.
  /// - Throws: `LoadError` of kind ``LoadError/Kind/parsing`` if the charset is unknown or the body isn't
  ///   text in it.
  public func text() throws -> String {
    let charset = Charset.mark(of: body) ?? mediaType?.parameter("charset") ?? "utf-8"
    guard let encoding = Charset.encoding(named: charset) else {
      throw LoadError(.parsing, "the charset \(charset.debugDescription) is unknown")
    }
    guard let text = String(data: body, encoding: encoding) else {
      throw LoadError(.parsing, "the body isn't text in the charset \(charset)")
    }
    return text.first == "\u{FEFF}" ? String(text.dropFirst()) : text
  }
}

/// Names of charsets as servers write them (IANA's registry, read as WHATWG's Encoding standard reads it).
private enum Charset {
  static func mark(of body: Data) -> String? {
    switch Array(body.prefix(3)) {
    case [0xEF, 0xBB, 0xBF]: "utf-8"
    case let start where start.starts(with: [0xFE, 0xFF]): "utf-16be"
    case let start where start.starts(with: [0xFF, 0xFE]): "utf-16le"
    default: nil
    }
  }

  static func encoding(named name: String) -> String.Encoding? {
    encodings[name.lowercased()]
  }

  private static let encodings: [String: String.Encoding] = [
    "utf-8": .utf8, "utf8": .utf8, "us-ascii": .windowsCP1252, "ascii": .windowsCP1252,
    "iso-8859-1": .windowsCP1252, "latin1": .windowsCP1252, "windows-1252": .windowsCP1252,
    "iso-8859-2": .isoLatin2, "windows-1250": .windowsCP1250, "windows-1251": .windowsCP1251,
    "windows-1253": .windowsCP1253, "windows-1254": .windowsCP1254, "utf-16": .utf16LittleEndian,
    "utf-16le": .utf16LittleEndian, "utf-16be": .utf16BigEndian, "utf-32": .utf32,
    "shift_jis": .shiftJIS, "euc-jp": .japaneseEUC, "iso-2022-jp": .iso2022JP,
    "macintosh": .macOSRoman,
  ]
}
