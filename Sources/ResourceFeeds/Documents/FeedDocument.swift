internal import Foundation
internal import ResourceLoading
internal import ResourceXML

extension XMLTree {
  /// Parses a document that may hold a feed, and parses it again as long as its mistakes can be repaired.
  ///
  /// - Parameters:
  ///   - data: The document.
  ///   - charset: The charset that the server gives; `nil` where it gives none.
  /// - Throws: `LoadError` of kind `parsing` with the first mistake, whose line and column are right.
  init(repairing data: Data, charset: String?) throws(LoadError) {
    var document = FeedDocument(data, charset: charset)
    var first: XMLError?
    while true {
      do throws(XMLError) {
        self = try XMLTree(
          parsing: document.bytes, encoding: document.charset, options: document.options)
        return
      } catch {
        first = first ?? error
        guard document.repair(after: error) else { throw LoadError(document: first ?? error) }
      }
    }
  }
}

extension LoadError {
  /// The error for a document that isn't well-formed, or passes a limit.
  fileprivate init(document error: XMLError) {
    let problem = error.kind == .limit ? "can't be read" : "isn't well-formed XML"
    self.init(.parsing, "the document \(problem): \(error.message)", underlying: error)
    parsing = ParsingFailure(
      path: "", line: error.line, column: error.column,
      snippet: error.snippet.isEmpty ? nil : error.snippet)
  }
}

/// A document that may hold a feed in XML. Repairs mistakes that many feeds have and that don't hide what was meant.
private struct FeedDocument {
  /// The bytes as they are read.
  private(set) var bytes: [UInt8]
  /// The charset that takes precedence over the document's own declaration.
  private(set) var charset: String?
  /// How the document is read.
  private(set) var options = XMLOptions()

  private var isRepaired = false
  private var isTranscoded = false

  /// - Parameters:
  ///   - body: The document. White space and byte order marks before its XML declaration are dropped.
  ///   - charset: The charset that the server gives. Unknown names are ignored, and so is ASCII, which servers give
  ///     for documents of unknown encoding.
  init(_ body: Data, charset: String?) {
    var rest = body[...]
    while let first = rest.first, Self.spaces.contains(first) || rest.starts(with: Self.mark) {
      rest = rest.dropFirst(Self.spaces.contains(first) ? 1 : Self.mark.count)
    }
    let isMarked = body.starts(with: Self.mark)
    bytes = Array(rest)
    let encoding = charset.flatMap(TextEncoding.init(label:))
    self.charset = isMarked ? "utf-8" : encoding == .ascii ? nil : encoding.flatMap { _ in charset }
    // External document types aren't read, so the entities that they declare have to be replaced.
    if bytes.firstRange(of: Array("<!DOCTYPE".utf8)) != nil { repairMarkup() }
  }

  private static let spaces: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
  private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
}

extension FeedDocument {
  /// Repairs the mistake that an error reports.
  ///
  /// - Returns: Whether that changed anything, so that the document is worth reading again.
  mutating func repair(after error: XMLError) -> Bool {
    switch error.kind {
    case .namespace:
      defer { options.namespaces = false }
      return options.namespaces
    case .encodingMismatch, .unsupportedEncoding, .invalidBytes:
      defer { transcode() }
      return !isTranscoded && isLikeASCII
    case .syntax, .invalidCharacter, .undeclaredEntity:
      defer { repairMarkup() }
      return !isRepaired && isLikeASCII
    default: return false
    }
  }

  /// Reads the document as UTF-8, and bytes that are none as windows-1252.
  private mutating func transcode() {
    (isTranscoded, charset) = (true, "utf-8")
    bytes = bytes.asUTF8
  }

  private mutating func repairMarkup() {
    guard !isRepaired, isLikeASCII else { return }
    isRepaired = true
    bytes = FeedMarkup(bytes).repaired()
  }

  /// Whether the encoding has ASCII's bytes for ASCII's characters, as UTF-16 hasn't.
  private var isLikeASCII: Bool {
    !bytes.prefix(4).contains { $0 == 0 || $0 >= 0xFE }
  }
}

extension [UInt8] {
  /// The bytes as UTF-8; a byte that isn't valid there is read as windows-1252.
  fileprivate var asUTF8: [UInt8] {
    var text = ""
    var decoder = UTF8()
    var place = startIndex
    while place < endIndex {
      var iterator = self[place...].makeIterator()
      if case .scalarValue(let scalar) = decoder.decode(&iterator) {
        text.unicodeScalars.append(scalar)
        place += UTF8.width(scalar)
      } else {
        text.unicodeScalars.append(Unicode.Scalar(self[place]).asWindows1252)
        place += 1
      }
      decoder = UTF8()
    }
    return Array(text.utf8)
  }
}

/// Repairs the markup of a feed: bare ampersands, entities of HTML, control characters, and text that servers add
/// before and behind the document.
private struct FeedMarkup {
  private let bytes: [UInt8]
  private var repairedBytes: [UInt8] = []

  /// - Parameter bytes: A document in an encoding like ASCII.
  init(_ bytes: [UInt8]) {
    let start = bytes.prefix(4096).firstRange(of: Array("<?xml".utf8))?.lowerBound ?? 0
    let end = ["</rss>", "</feed>", "</rdf:RDF>"].compactMap { bytes.end(ofLast: $0) }.max()
    self.bytes = Array(bytes[start..<max(start, end ?? bytes.count)])
  }

  /// Returns the repaired document.
  consuming func repaired() -> [UInt8] {
    // A document may declare entities of any name.
    let hasEntities = bytes.firstRange(of: Array("<!ENTITY".utf8)) != nil
    repairedBytes.reserveCapacity(bytes.count)
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
    return repairedBytes
  }
}

extension FeedMarkup {
  /// Returns the end of a CDATA section, comment or instruction, in which ampersands are allowed; `nil` if none begins
  /// here.
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

  /// Appends a reference in a form that XML knows, or escapes an ampersand that begins none.
  ///
  /// - Returns: The offset behind it.
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

  /// Returns the XML for a reference, `nil` if it has no meaning.
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
  /// Returns the end of the last occurrence of a text, in any case; `nil` if there is none.
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
