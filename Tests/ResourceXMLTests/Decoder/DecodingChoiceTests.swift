import Foundation
import ResourceXML
import TestSupport
import Testing

@Suite(.inTurn)
struct DecodingChoiceTests {
  struct Image: Decodable, Equatable { var src: String }

  enum Block: Decodable, Equatable {
    case paragraph(String)
    case image(Image)
    case text(String)
    enum CodingKeys: String, XMLChoiceCodingKey {
      case paragraph = "p"
      case image = "img"
      case text = ""
    }
  }

  private func decode<T: Decodable>(_ type: T.Type, _ document: String) throws -> T {
    try XMLDecoder().decode(type, from: Data(document.utf8))
  }

  @Test func `the name of an element chooses the case`() throws {
    struct Page: Decodable {
      var title: String
      var blocks: [Block]
      enum CodingKeys: String, CodingKey {
        case title = "@title"
        case blocks = ""
      }
    }

    let page = try decode(Page.self, "<page title='t'>\n <p>one</p>\n <img src='i'/>\n <p/></page>")

    #expect(page.title == "t")
    #expect(page.blocks == [.paragraph("one"), .image(Image(src: "i")), .paragraph("")])
  }

  @Test func `text between elements is an item of mixed content`() throws {
    struct Mixed: Decodable {
      var content: [Block]
      enum CodingKeys: String, CodingKey { case content = "" }
    }

    #expect(
      try decode(Mixed.self, "<m>a <p>b</p> <p>c</p></m>").content == [
        .text("a"), .paragraph("b"), .text(""), .paragraph("c"),
      ])
    #expect(try decode(Mixed.self, "<m>only</m>").content == [.text("only")])
    #expect(try decode(Mixed.self, "<m/>").content == [])
  }

  @Test func `text after an element with attributes keeps its position`() throws {
    struct Mixed: Decodable {
      var content: [Block]
      enum CodingKeys: String, CodingKey { case content = "" }
    }

    #expect(
      try decode(Mixed.self, "<m>See <img src='i'/> now</m>").content == [
        .text("See"), .image(Image(src: "i")), .text("now"),
      ])
    #expect(
      try decode(Mixed.self, "<m>\n  <p>one</p>\n  <img src='i'/>\n</m>").content == [
        .paragraph("one"), .image(Image(src: "i")),
      ])
  }

  @Test func `a choice works alone, at the root and in arrays`() throws {
    struct One: Decodable {
      var block: Block
      enum CodingKeys: String, CodingKey { case block = "" }
    }
    struct Wrapped: Decodable { var item: [Block] }

    #expect(try decode(One.self, "<o><img src='i'/></o>").block == .image(Image(src: "i")))
    #expect(try decode(Block.self, "<p>x</p>") == .paragraph("x"))
    #expect(
      try decode([Block].self, "<o><img src='i'/><p>x</p></o>") == [
        .image(Image(src: "i")), .paragraph("x"),
      ])
    #expect(throws: DecodingError.self) { try decode(Block.self, "<q>x</q>") }
  }

  @Test func `a choice decoded by hand has the element's name as its only key`() throws {
    enum Hand: Decodable, Equatable {
      case a(Int)
      case b(String)
      enum CodingKeys: String, XMLChoiceCodingKey { case a, b }
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        switch container.allKeys.first {
        case .a: self = .a(try container.decode(Int.self, forKey: .a))
        case .b: self = .b(try container.decode(String.self, forKey: .b))
        case nil:
          throw DecodingError.dataCorrupted(
            DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "none"))
        }
      }
    }

    #expect(try decode([Hand].self, "<o><a>1</a><b>x</b></o>") == [.a(1), .b("x")])
  }

  @Test func `a wrapped choice is decoded from its element`() throws {
    struct Wrapped: Decodable { var item: [Choice] }
    struct Choice: Decodable, Equatable {
      var block: Block
      enum CodingKeys: String, CodingKey { case block = "" }
    }

    #expect(
      try decode([String: Choice].self, "<o><x><p>1</p></x></o>") == [
        "x": Choice(block: .paragraph("1"))
      ])
  }
}
