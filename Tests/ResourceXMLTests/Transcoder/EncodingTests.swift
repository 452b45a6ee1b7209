import Foundation
import ResourceXML
import TestSupport
import Testing

/// Encodings: section 4.3.3 and appendix F, RFC 7303.
@Suite(.inTurn)
struct EncodingTests {
  static let text = "<a>Käse</a>"

  private func utf16(_ text: String, bigEndian: Bool, mark: Bool) -> [UInt8] {
    ((mark ? "\u{FEFF}" : "") + text).utf16.flatMap {
      bigEndian ? [UInt8($0 >> 8), UInt8($0 & 0xFF)] : [UInt8($0 & 0xFF), UInt8($0 >> 8)]
    }
  }

  @Test(arguments: [true, false])
  func `UTF-16 is read with a byte order mark or a declaration`(_ bigEndian: Bool) throws {
    let declared = "<?xml version='1.0' encoding='UTF-16'?><a>K\u{E4}se\u{1F600}</a>"
    let expected = "<a>K\u{E4}se\u{1F600}</a>"

    #expect(try canonical(utf16(expected, bigEndian: bigEndian, mark: true)) == expected)
    #expect(try canonical(utf16(declared, bigEndian: bigEndian, mark: true)) == expected)
    #expect(try canonical(utf16(declared, bigEndian: bigEndian, mark: false)) == expected)
    #expect(
      try canonical(
        utf16(expected, bigEndian: bigEndian, mark: false),
        encoding: bigEndian ? "utf-16be" : "UTF-16LE") == expected)
    #expect(
      try canonical(utf16(expected, bigEndian: bigEndian, mark: false), encoding: "utf-16")
        == expected)
  }

  @Test(
    arguments: [
      ("ISO-8859-1", [0xE4], "ä"), ("latin1", [0xE4, 0x85], "ä\u{85}"),
      ("windows-1252", [0x80, 0x93], "€“"), ("US-ASCII", [0x41], "A"),
      ("UTF-8", [0xC3, 0xA4], "ä"), ("utf8", [0xC3, 0xA4], "ä"), ("ISO-8859-2", [0xB1], "ą"),
      ("ISO-8859-5", [0xB0], "А"), ("ISO-8859-15", [0xA4], "€"),
      ("windows-1251", [0xCF], "П"), ("KOI8-R", [0xD0], "п"), ("GB18030", [0xB0, 0xA1], "啊"),
      ("gb2312", [0xB0, 0xA1], "啊"), ("GBK", [0x81, 0x40], "丂"),
      ("Shift_JIS", [0x88, 0x9F, 0xB1], "亜ｱ"),
      ("ISO-2022-JP", [0x1B, 0x24, 0x42, 0x30, 0x21, 0x1B, 0x28, 0x42], "亜"),
      ("Big5", [0x87, 0x40, 0x88, 0x62, 0xA4, 0x40], "䏰Ê̄一"),
      ("EUC-JP", [0x8F, 0xB0, 0xA1, 0xB0, 0xA1, 0x61], "丂亜a"), ("EUC-KR", [0xB0, 0xA1], "가"),
      ("IBM866", [0x8F, 0xE0], "Пр"), ("cp437", [0x81, 0xE1], "üß"), ("ibm850", [0x84], "ä"),
      ("iso-ir-144", [0xB0], "А"), ("ISO-8859-8-I", [0xE0], "א"),
      ("x-mac-cyrillic", [0x80], "А"), ("x-cp1250", [0x9A], "š"), ("latin5", [0xFD, 0x80], "ı€"),
    ] as [(String, [UInt8], String)])
  func `a document in a declared encoding is read in one piece and byte by byte`(
    _ label: String, _ bytes: [UInt8], _ text: String
  ) throws {
    let document =
      Array("<?xml version='1.0' encoding='\(label)'?><a b='x'>".utf8) + bytes + Array("</a>".utf8)

    #expect(try canonical(document) == "<a b=\"x\">\(text)</a>")
    let whole = IncrementalTests.Answer(document) { _ in document.count }
    #expect(IncrementalTests.Answer(document) { _ in 1 } == whole)
  }

  @Test func `each row and cell of EUC-JP is read`() throws {
    let document =
      Array("<?xml version='1.0' encoding='EUC-JP'?><a>".utf8)
      + [0xB0, 0xA1, 0x8E, 0xB1, 0xC6, 0xFC, 0xCB, 0xDC, 0xA4, 0xC8] + Array("</a>".utf8)

    #expect(try canonical(document) == "<a>亜ｱ日本と</a>")
  }

  @Test(arguments: [
    ("<?xml version='1.0' encoding='UTF-16'?><a/>", XMLError.Kind.encodingMismatch),
    ("<?xml version='1.0' encoding='UCS-2'?><a/>", .encodingMismatch),
    ("\u{FEFF}<?xml version='1.0' encoding='ISO-8859-1'?><a/>", .encodingMismatch),
    ("<?xml version='1.0' encoding='nonsense'?><a/>", .unsupportedEncoding),
    ("<?xml version='1.0' encoding='UTF-32'?><a/>", .unsupportedEncoding),
    ("<?xml version='1.0' encoding='US-ASCII'?><a>ä</a>", .invalidBytes),
  ])
  func `a document that isn't in its declared encoding is refused`(
    _ document: String, _ kind: XMLError.Kind
  ) {
    #expect(refusal(document) == kind)
  }

  @Test func `UTF-16 is refused if it declares UTF-8 or has neither a mark nor a declaration`() {
    let eight = "<?xml version='1.0' encoding='UTF-8'?><a/>"
    let silent = "<?xml version='1.0'?><a/>"

    #expect(refusal(utf16(eight, bigEndian: true, mark: true)) == .encodingMismatch)
    #expect(refusal(utf16(eight, bigEndian: false, mark: false)) == .encodingMismatch)
    #expect(refusal(utf16(silent, bigEndian: true, mark: false)) == .encodingMismatch)
    #expect(refusal(utf16(silent, bigEndian: true, mark: true)) == nil)
  }

  @Test(arguments: [[0xD8, 0x00, 0x00, 0x41], [0xDC, 0x00], [0xD8, 0x00], [0x00]] as [[UInt8]])
  func `an incomplete UTF-16 character is refused`(_ bytes: [UInt8]) {
    let document =
      utf16("<a>", bigEndian: true, mark: true) + bytes
      + utf16("</a>", bigEndian: true, mark: false)

    #expect(refusal(document) == .invalidBytes || bytes.count == 1)
    #expect(refusal(document) != nil)
  }

  @Test(
    arguments: [
      ("Big5", [0xFF]), ("EUC-KR", [0xFF, 0xFF]), ("GB18030", [0xFF]), ("EUC-JP", [0xB0, 0x20]),
      ("Shift_JIS", [0x81, 0x20]),
    ] as [(String, [UInt8])])
  func `bytes that are invalid in the encoding are refused`(_ label: String, _ bytes: [UInt8]) {
    let document =
      Array("<?xml version='1.0' encoding='\(label)'?><a>\n".utf8) + bytes + Array("</a>".utf8)

    #expect(refusal(document) == .invalidBytes)
  }

  @Test
  func `a byte order mark takes precedence over the caller, and the caller over the document`()
    throws
  {
    let latin =
      Array("<?xml version='1.0' encoding='UTF-8'?><a>".utf8) + [0xE4] + Array("</a>".utf8)

    #expect(try canonical(latin, encoding: "iso-8859-1") == "<a>ä</a>")
    #expect(try canonical("\u{FEFF}<a>ä</a>".utf8, encoding: "iso-8859-1") == "<a>ä</a>")
    #expect(
      try canonical("<?xml version='1.0' encoding='utf-16'?><a>ä</a>".utf8, encoding: " UTF-8 ")
        == "<a>ä</a>")
    #expect(throws: XMLError.self) { try canonical("<a/>".utf8, encoding: "nonsense") }
  }
}
