internal import Foundation
internal import ResourcePrimitives
internal import ResourceXML

extension XMLTree {
  /// Parses a document that may contain a feed, for which the server has named a charset. If it has
  /// errors that can be repaired, it is repaired and parsed again.
  init(repairing data: Data, charset: String?) throws(XMLError) {
    var document = FeedDocument(data, charset: charset)
    var first: XMLError?
    while true {
      do throws(XMLError) {
        self = try XMLTree(
          parsing: document.bytes, encoding: document.charset, options: document.options)
        return
      } catch {
        first = first ?? error
        guard document.repair(after: error) else { throw first ?? error }
      }
    }
  }
}

/// A document that may contain a feed in XML. It repairs common errors that leave the meaning
/// clear.
private struct FeedDocument {
  /// The bytes as they are read.
  private(set) var bytes: [UInt8]
  /// The charset that takes precedence over the document's own declaration.
  private(set) var charset: String?
  /// The options for the parser.
  private(set) var options = XMLOptions()

  private var isRepaired = false
  private var isTranscoded = false
  /// Whether the document still has its XML declaration.
  private var isDeclared = true

  /// White space and byte order marks before the XML declaration are removed. A charset that is
  /// unknown is ignored, and so is ASCII, which servers send for documents of unknown encoding.
  init(_ body: Data, charset: String?) {
    var rest = body[...]
    while let first = rest.first, Self.spaces.contains(first) || rest.starts(with: Self.mark) {
      rest = rest.dropFirst(Self.spaces.contains(first) ? 1 : Self.mark.count)
    }
    let isMarked = body.starts(with: Self.mark)
    bytes = Array(rest)
    let encoding = charset.flatMap(TextEncoding.init(label:))
    self.charset = isMarked ? "utf-8" : encoding == .ascii ? nil : encoding.flatMap { _ in charset }
    // External document types aren't read, so their entities have to be replaced.
    if bytes.firstRange(of: Array("<!DOCTYPE".utf8)) != nil { repairMarkup() }
  }

  private static let spaces: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
  private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
}

extension FeedDocument {
  /// Repairs what an error reports; returns whether anything changed, so that the document should
  /// be parsed again.
  mutating func repair(after error: XMLError) -> Bool {
    switch error.kind {
    case .namespace:
      defer { options.namespaces = false }
      return options.namespaces
    case .encodingMismatch, .unsupportedEncoding, .invalidBytes:
      defer { transcode() }
      return !isTranscoded
    case .syntax, .invalidCharacter, .undeclaredEntity:
      defer {
        repairMarkup()
        dropDeclaration()
      }
      return (!isRepaired || isDeclared) && isLikeASCII
    default: return false
    }
  }

  /// Reads the document as UTF-8, and invalid bytes as windows-1252. UTF-16 is read as such,
  /// whatever the document declares.
  private mutating func transcode() {
    isTranscoded = true
    guard isLikeASCII else {
      let isBigEndian = bytes.first == 0 || bytes.first == 0xFE
      charset = isBigEndian ? "utf-16be" : "utf-16le"
      // With the mark, the declaration would still have to match.
      if bytes.first == 0xFE || bytes.first == 0xFF { bytes.removeFirst(min(2, bytes.count)) }
      return
    }
    charset = "utf-8"
    bytes = bytes.asUTF8
  }

  /// Removes the XML declaration, which may be the broken part, and reads the document in the
  /// declared encoding.
  private mutating func dropDeclaration() {
    defer { isDeclared = false }
    guard isDeclared, isLikeASCII, bytes.starts(with: "<?xml".utf8) else { return }
    let end = bytes.firstIndex(of: UInt8(ascii: ">")) ?? bytes.endIndex
    let words = String(decoding: bytes[..<end], as: UTF8.self).split { !$0.isLabelCharacter }
    let label = words.drop { $0 != "encoding" }.dropFirst().first.map(String.init)
    switch label.flatMap(TextEncoding.init(label:)) {
    case nil, .utf16: break
    default: charset = charset ?? label
    }
    bytes.removeSubrange(..<min(end + 1, bytes.endIndex))
  }

  private mutating func repairMarkup() {
    guard !isRepaired, isLikeASCII else { return }
    isRepaired = true
    bytes = FeedMarkup(bytes).repaired()
  }

  /// Whether the encoding is compatible with ASCII, unlike UTF-16.
  private var isLikeASCII: Bool {
    !bytes.prefix(4).contains { $0 == 0 || $0 >= 0xFE }
  }
}

extension Character {
  /// Whether the name of an encoding may contain this character.
  fileprivate var isLabelCharacter: Bool {
    isASCII && (isLetter || isNumber || "-_.:".contains(self))
  }
}

extension [UInt8] {
  /// The bytes as UTF-8; an invalid byte is read as windows-1252.
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
