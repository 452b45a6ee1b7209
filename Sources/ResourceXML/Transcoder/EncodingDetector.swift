internal import ResourcePrimitives

/// Detects a document's encoding from its byte order mark, the caller, or the document's own
/// declaration, in the order of RFC 7303.
struct EncodingDetector {
  var external: String?

  /// The encoding, and the length of the byte order mark to skip.
  struct Answer {
    var declared: DeclaredEncoding
    var markLength = 0
  }

  /// The number of bytes in which an XML declaration is searched for.
  static let longest = 1024

  /// - Returns: `nil` if more bytes are needed.
  func detect(_ bytes: [UInt8], isFinal: Bool) throws(Failure) -> Answer? {
    guard bytes.count >= 4 || isFinal else { return nil }
    if let answer = try mark(bytes) { return answer }
    if let external { return try named(external, bytes) }
    if bytes.starts(with: [0x00, 0x3C, 0x00, 0x3F]) { return pattern(isBigEndian: true) }
    if bytes.starts(with: [0x3C, 0x00, 0x3F, 0x00]) { return pattern(isBigEndian: false) }
    return try declaration(bytes, isFinal: isFinal)
  }

  private func mark(_ bytes: [UInt8]) throws(Failure) -> Answer? {
    func answer(_ encoding: TextEncoding, _ length: Int) -> Answer {
      Answer(declared: DeclaredEncoding(encoding: encoding, source: .mark), markLength: length)
    }
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return answer(.utf8, 3) }
    if bytes.starts(with: [0xFF, 0xFE, 0, 0]) || bytes.starts(with: [0, 0, 0xFE, 0xFF]) {
      throw unsupported("UTF-32")
    }
    if bytes.starts(with: [0xFE, 0xFF]) { return answer(.utf16(isBigEndian: true), 2) }
    if bytes.starts(with: [0xFF, 0xFE]) { return answer(.utf16(isBigEndian: false), 2) }
    return nil
  }

  /// The caller's encoding. UTF-16 without a byte order is little-endian if the first bytes look
  /// like it; otherwise big-endian.
  private func named(_ label: String, _ bytes: [UInt8]) throws(Failure) -> Answer {
    guard var encoding = TextEncoding(label: label) else { throw unsupported(label) }
    if TextEncoding.isUnmarkedUTF16(label), bytes.starts(with: [0x3C, 0x00]) {
      encoding = .utf16(isBigEndian: false)
    }
    return Answer(declared: DeclaredEncoding(encoding: encoding, source: .external))
  }

  private func pattern(isBigEndian: Bool) -> Answer {
    let encoding = TextEncoding.utf16(isBigEndian: isBigEndian)
    return Answer(declared: DeclaredEncoding(encoding: encoding, source: .pattern))
  }

  private func declaration(_ bytes: [UInt8], isFinal: Bool) throws(Failure) -> Answer? {
    let opening = Array("<?xml".utf8)
    guard bytes.prefix(5).elementsEqual(opening.prefix(bytes.count)) else {
      return Answer(declared: DeclaredEncoding())
    }
    let head = bytes.prefix(EncodingDetector.longest)
    guard let end = head.firstIndex(of: .greaterThan) else {
      let isLost = isFinal || bytes.count >= EncodingDetector.longest
      return isLost ? Answer(declared: DeclaredEncoding()) : nil
    }
    guard let label = label(in: head[..<end]) else {
      return Answer(declared: DeclaredEncoding())
    }
    guard let encoding = TextEncoding(label: label) else { throw unsupported(label) }
    if case .utf16 = encoding {
      throw Failure(
        .encodingMismatch, "the document isn't in the encoding it declares", at: 0, name: label)
    }
    return Answer(declared: DeclaredEncoding(encoding: encoding, source: .declaration))
  }

  /// Returns the value of `encoding`; the parser checks the grammar later.
  private func label(in head: ArraySlice<UInt8>) -> String? {
    let text = String(decoding: head, as: UTF8.self)
    let words = text.split(whereSeparator: \.isWhitespace)
    for part in words.indices {
      guard words[part].hasPrefix("encoding") else { continue }
      let rest = words[part...].joined().dropFirst(8)
      guard let quote = rest.dropFirst().first, rest.first == "=", quote == "\"" || quote == "'"
      else { continue }
      return String(rest.dropFirst(2).prefix { $0 != quote && $0 != "?" })
    }
    return nil
  }

  private func unsupported(_ label: String) -> Failure {
    Failure(.unsupportedEncoding, "the encoding isn't supported", at: 0, name: label)
  }
}

/// A document's encoding and where it comes from. The XML declaration is checked against it.
struct DeclaredEncoding: Sendable {
  enum Source: Sendable {
    /// The caller, from the HTTP header. The document's declaration is then ignored (RFC 7303).
    case external
    /// A byte order mark.
    case mark
    /// The bytes of `<?` in UTF-16.
    case pattern
    /// The XML declaration.
    case declaration
    /// No source: UTF-8 by default.
    case fallback
  }

  var encoding = TextEncoding.utf8
  var source = Source.fallback

  /// Checks the encoding that the XML declaration names.
  func check(_ label: String, at offset: Int) throws(Failure) {
    switch source {
    case .external, .declaration: return
    case .mark, .pattern, .fallback: break
    }
    if TextEncoding(label: label) == encoding { return }
    if case .utf16 = encoding, TextEncoding.isUnmarkedUTF16(label) { return }
    throw Failure(
      .encodingMismatch, "the document isn't in the encoding it declares", at: offset, name: label)
  }

  /// Checks that the document may lack an encoding declaration.
  func checkAbsence(at offset: Int) throws(Failure) {
    guard source == .pattern else { return }
    throw Failure(
      .encodingMismatch, "UTF-16 has neither a byte order mark nor a declaration", at: offset)
  }
}
