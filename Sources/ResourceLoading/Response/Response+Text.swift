import Foundation
import ResourcePrimitives

extension Response {
  /// The media type of the body, if the server gave one.
  public var mediaType: MediaType? { headers.mediaType }

  /// The body as text.
  ///
  /// The charset is given by a byte order mark, else by `Content-Type`, else it is UTF-8. Names of
  /// charsets are those of the WHATWG's Encoding standard: `iso-8859-1` and `us-ascii` are
  /// windows-1252.
  ///
  /// - Returns: The text, without a byte order mark; empty if there is no body.
  /// - Throws: `LoadError` of kind ``LoadError/Kind/parsing`` if the charset is unknown or the body
  ///   isn't text in it.
  public func text() throws -> String {
    let charset = TextEncoding.mark(of: body) ?? namedCharset ?? "utf-8"
    guard let encoding = TextEncoding(charset: charset) else {
      throw LoadError(.parsing, "the charset \(charset.debugDescription) is unknown")
    }
    guard let text = encoding.text(of: body) else {
      throw LoadError(.parsing, "the body isn't text in the charset \(charset)")
    }
    return text.first == "\u{FEFF}" ? String(text.dropFirst()) : text
  }

  /// The charset of `Content-Type`, without the apostrophes that some servers put around it.
  private var namedCharset: String? {
    let name = mediaType?.parameter("charset")?.replacing(["'": ""])
    return name?.isEmpty == false ? name : nil
  }
}

extension TextEncoding {
  fileprivate static func mark(of body: Data) -> String? {
    switch Array(body.prefix(3)) {
    case [0xEF, 0xBB, 0xBF]: "utf-8"
    case let start where start.starts(with: [0xFE, 0xFF]): "utf-16be"
    case let start where start.starts(with: [0xFF, 0xFE]): "utf-16le"
    default: nil
    }
  }

  /// The encoding for a label of the web, where UTF-16 without a mark is little-endian.
  fileprivate init?(charset: String) {
    self.init(label: charset)
    if Self.isUnmarkedUTF16(charset) { self = .utf16(isBigEndian: false) }
  }

  /// Returns the text of bytes in this encoding; `nil` if they are invalid in it.
  fileprivate func text(of body: Data) -> String? {
    switch self {
    case .utf8: String(data: body, encoding: .utf8)
    // Foundation would leave out half a unit at the end.
    case .utf16 where !body.count.isMultiple(of: 2): nil
    case .utf16(isBigEndian: true): String(data: body, encoding: .utf16BigEndian)
    case .utf16(isBigEndian: false): String(data: body, encoding: .utf16LittleEndian)
    case .ascii, .latin1, .windows1252: Self.westernText(of: body)
    case .platform, .eucJP: platformText(of: Array(body)[...])
    }
  }

  private static func westernText(of body: Data) -> String {
    var text = String.UnicodeScalarView()
    for byte in body {
      let value = (0x80..<0xA0).contains(byte) ? windows1252Scalars[Int(byte) - 0x80] : UInt32(byte)
      text.append(Unicode.Scalar(value) ?? "\u{FFFD}")
    }
    return String(text)
  }
}
