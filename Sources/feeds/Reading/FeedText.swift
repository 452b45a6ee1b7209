import Foundation
import ResourceLoading
import ResourceXML

/// The text of a document that may hold a feed in XML, and what is let pass in it: mistakes that many feeds have
/// and that hide nothing of what was meant.
struct FeedText {
  /// The bytes as they are read.
  private(set) var bytes: [UInt8]
  /// The charset that goes before what the document declares.
  private(set) var charset: String?
  /// How the document is read.
  private(set) var options = XMLOptions()

  private var isMended = false
  private var isTranscoded = false

  /// - Parameters:
  ///   - body: The document. White space before its XML declaration is let pass, and so is a byte order mark in
  ///     front of it.
  ///   - charset: What the server says. A name that nobody knows doesn't count, nor does ASCII, which servers say
  ///     of what they know nothing about.
  init(_ body: Data, charset: String?) {
    var rest = body[...]
    while let first = rest.first, Self.spaces.contains(first) || rest.starts(with: Self.mark) {
      rest = rest.dropFirst(Self.spaces.contains(first) ? 1 : Self.mark.count)
    }
    let isMarked = body.starts(with: Self.mark)
    bytes = Array(rest)
    let encoding = charset.flatMap(TextEncoding.init(label:))
    self.charset = isMarked ? "utf-8" : encoding == .ascii ? nil : encoding.flatMap { _ in charset }
    // What an external document type declares isn't read, so that its entities would be lost.
    if bytes.firstRange(of: Array("<!DOCTYPE".utf8)) != nil { mend() }
  }

  private static let spaces: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
  private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
}

extension FeedText {
  /// Makes good what an error tells of.
  ///
  /// - Returns: Whether that changed anything, so that it is worth reading again.
  mutating func mend(after error: XMLError) -> Bool {
    switch error.kind {
    case .namespace:
      defer { options.namespaces = false }
      return options.namespaces
    case .encodingMismatch, .unsupportedEncoding, .invalidBytes:
      defer { transcode() }
      return !isTranscoded && isLikeASCII
    case .syntax, .invalidCharacter, .undeclaredEntity:
      defer { mend() }
      return !isMended && isLikeASCII
    default: return false
    }
  }

  /// Takes the document for UTF-8, and bytes in it that aren't for windows-1252.
  private mutating func transcode() {
    (isTranscoded, charset) = (true, "utf-8")
    bytes = bytes.asUTF8
  }

  private mutating func mend() {
    guard !isMended, isLikeASCII else { return }
    isMended = true
    bytes = FeedMarkup(bytes).mended()
  }

  /// UTF-16 isn't.
  private var isLikeASCII: Bool {
    !bytes.prefix(4).contains { $0 == 0 || $0 >= 0xFE }
  }
}

extension [UInt8] {
  /// The same as UTF-8; a byte that can't stand in it is one of windows-1252.
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
