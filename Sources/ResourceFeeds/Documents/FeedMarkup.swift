internal import Foundation

/// Repairs the markup of a feed: bare ampersands, HTML entities, control characters, comments, and
/// text that servers add before and after the document.
struct FeedMarkup {
  private let bytes: [UInt8]
  private var repairedBytes: [UInt8] = []

  /// - Parameter bytes: A document in an encoding that is compatible with ASCII.
  init(_ bytes: [UInt8]) {
    let start = FeedMarkup.start(in: bytes) ?? 0
    let end = ["</rss>", "</feed>", "</rdf:RDF>"].compactMap { bytes.end(ofLast: $0) }.max()
    self.bytes = Array(bytes[start..<max(start, end ?? bytes.count)])
  }

  consuming func repaired() -> [UInt8] {
    // A document may declare entities with any name.
    let hasEntities = bytes.firstRange(of: Array("<!ENTITY".utf8)) != nil
    repairedBytes.reserveCapacity(bytes.count)
    var place = 0
    while place < bytes.count {
      let byte = bytes[place]
      if byte == UInt8(ascii: "<"), let end = sectionEnd(at: place) {
        if bytes[place...].starts(with: "<!--".utf8) {
          // Removes the comment but keeps its line breaks, so that line numbers don't change.
          repairedBytes += bytes[place..<end].filter { $0 == 0x0A }
        } else {
          appendVisible(place..<end)
        }
        place = end
      } else if byte == UInt8(ascii: "&"), !hasEntities {
        place = appendReference(at: place)
      } else {
        appendVisible(place..<place + 1)
        place += 1
      }
    }
    return repairedBytes
  }
}

extension FeedMarkup {
  /// Returns where the document begins after text that servers add, such as warnings; `nil` if that
  /// can't be determined.
  static func start(in document: some Sequence<UInt8>) -> Int? {
    let head = Array(document.prefix(4096))
    let openings = head.starts(with: "<".utf8) && !head.starts(with: "<br".utf8) ? [] : roots
    return (openings + ["<?xml"])
      .flatMap { opening in [" ", "\n", "\r", "\t", ">"].map { opening + $0 } }
      .compactMap { head.firstRange(of: Array($0.utf8))?.lowerBound }.min()
  }

  /// The beginnings of root elements. They count only after text that can't be part of a document.
  private static let roots = ["<rss", "<feed", "<rdf:RDF", "<!DOCTYPE"]

  /// Returns the end of a CDATA section, comment or instruction, in which ampersands are allowed;
  /// `nil` if none begins here.
  private func sectionEnd(at place: Int) -> Int? {
    for (opening, closing) in [("<![CDATA[", "]]>"), ("<!--", "-->"), ("<?", "?>")]
    where bytes[place...].starts(with: opening.utf8) {
      let rest = bytes[(place + opening.utf8.count)...]
      return rest.firstRange(of: Array(closing.utf8))?.upperBound ?? bytes.count
    }
    return nil
  }

  /// Appends bytes without control characters, which XML doesn't allow.
  private mutating func appendVisible(_ range: Range<Int>) {
    for byte in bytes[range] where byte >= 0x20 || [0x09, 0x0A, 0x0D].contains(byte) {
      repairedBytes.append(byte)
    }
  }

  /// Appends a reference in a form that XML defines, or escapes an ampersand that doesn't begin
  /// one. Returns the offset after it.
  private mutating func appendReference(at place: Int) -> Int {
    guard let found = HTMLEntities.reference(in: bytes, at: place),
      let reference = Self.reference(found.name)
    else {
      repairedBytes += "&amp;".utf8
      return place + 1
    }
    repairedBytes += reference.utf8
    return found.end
  }

  /// Returns the XML for a reference; `nil` if the reference is unknown.
  private static func reference(_ name: String) -> String? {
    if name.hasPrefix("#") {
      guard let value = HTMLEntities.codePoint(name) else { return nil }
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
  /// Returns the end of the last occurrence of a text, ignoring case; `nil` if there is none.
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
