/// The markup of a feed, to be mended: bare ampersands, entities of HTML, control characters, and what servers
/// put before and behind the document.
struct FeedMarkup {
  private let bytes: [UInt8]
  private var mendedBytes: [UInt8] = []

  /// - Parameter bytes: A document in an encoding like ASCII.
  init(_ bytes: [UInt8]) {
    let start = bytes.prefix(4096).firstRange(of: Array("<?xml".utf8))?.lowerBound ?? 0
    let end = ["</rss>", "</feed>", "</rdf:RDF>"].compactMap { bytes.end(ofLast: $0) }.max()
    self.bytes = Array(bytes[start..<max(start, end ?? bytes.count)])
  }

  /// The document with what can be mended.
  consuming func mended() -> [UInt8] {
    // Entities of a document's own may have any name.
    let hasEntities = bytes.firstRange(of: Array("<!ENTITY".utf8)) != nil
    mendedBytes.reserveCapacity(bytes.count)
    var place = 0
    while place < bytes.count {
      let byte = bytes[place]
      if byte == UInt8(ascii: "<"), let end = sectionEnd(at: place) {
        appendVisible(place..<end)
        place = end
      } else if byte == UInt8(ascii: "&"), !hasEntities {
        place = appendReference(at: place)
      } else {
        appendVisible(place..<place + 1)
        place += 1
      }
    }
    return mendedBytes
  }
}

extension FeedMarkup {
  /// Where a CDATA section, a comment or an instruction ends, in which an ampersand is one.
  private func sectionEnd(at place: Int) -> Int? {
    for (opening, closing) in [("<![CDATA[", "]]>"), ("<!--", "-->"), ("<?", "?>")]
    where bytes[place...].starts(with: opening.utf8) {
      let rest = bytes[(place + opening.utf8.count)...]
      return rest.firstRange(of: Array(closing.utf8))?.upperBound ?? bytes.count
    }
    return nil
  }

  /// Leaves out control characters, which XML doesn't allow.
  private mutating func appendVisible(_ range: Range<Int>) {
    for byte in bytes[range] where byte >= 0x20 || [0x09, 0x0A, 0x0D].contains(byte) {
      mendedBytes.append(byte)
    }
  }

  /// Appends a reference as XML can read it, or an ampersand that begins none.
  ///
  /// - Returns: The place behind it.
  private mutating func appendReference(at place: Int) -> Int {
    let name = bytes[(place + 1)...].prefix(12).prefix { $0 != UInt8(ascii: ";") }
    guard name.endIndex < bytes.count, bytes[name.endIndex] == UInt8(ascii: ";"),
      let reference = Self.reference(String(decoding: name, as: UTF8.self))
    else {
      mendedBytes += "&amp;".utf8
      return place + 1
    }
    mendedBytes += reference.utf8
    return name.endIndex + 1
  }

  /// What to write for a reference; `nil` if it means nothing.
  private static func reference(_ name: String) -> String? {
    if name.hasPrefix("#") {
      guard let value = PlainText.codePoint(name) else { return nil }
      return Unicode.Scalar(value).map { isAllowed($0) ? "&#\(value);" : "" }
    }
    if ["amp", "lt", "gt", "quot", "apos"].contains(name) { return "&\(name);" }
    return HTMLEntities.named[name].map { "&#\($0);" }
  }

  private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value >= 0x20 && ![0xFFFE, 0xFFFF].contains(scalar.value)
      || [0x09, 0x0A, 0x0D].contains(scalar.value)
  }
}

extension [UInt8] {
  /// Where the last copy of a text ends, whatever the case of its letters; `nil` if there is none.
  fileprivate func end(ofLast text: String) -> Int? {
    let wanted = Array(text.lowercased().utf8)
    guard count >= wanted.count else { return nil }
    for start in stride(from: count - wanted.count, through: 0, by: -1)
    where self[start] == wanted[0]
      && zip(self[start...], wanted).allSatisfy({ $0 | 0x20 == $1 | 0x20 })
    {
      return start + wanted.count
    }
    return nil
  }
}
