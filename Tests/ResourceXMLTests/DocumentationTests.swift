import Foundation
import ResourceXML
import TestSupport
import Testing

/// The samples of the documentation, word for word.
@Suite(.inTurn)
struct DocumentationTests {
  @Test func `the sample on the landing page decodes entries`() throws {
    struct Entry: Decodable {
      var title: String
      var link: URL?
    }
    let data = Data("<rss><channel><item><title>t</title></item></channel></rss>".utf8)

    let entries = try XMLDecoder().decode([Entry].self, from: data, at: "rss.channel.item")

    #expect(entries.map(\.title) == ["t"])
  }

  @Test func `the samples of the decoding article work`() throws {
    struct Item: Decodable {
      var title: String
      var category: [String]
      var pubDate: Date?
    }
    struct Link: Decodable {
      var href: URL
      var text: String

      enum CodingKeys: String, CodingKey {
        case href = "@href"
        case text = ""
      }
    }
    let data = Data("<item><title>t</title><category>c</category></item>".utf8)

    let item = try XMLDecoder().decode(Item.self, from: data)

    let link = try XMLDecoder().decode(Link.self, from: Data("<a href='u'>x</a>".utf8))
    #expect(item.category == ["c"])
    #expect(link.text == "x")
  }

  @Test func `the article's sample of namespaces works`() throws {
    var decoder = XMLDecoder()
    decoder.namespaces = ["media": "http://search.yahoo.com/mrss/"]

    let data = Data("<v xmlns:m='http://search.yahoo.com/mrss/'><m:title>t</m:title></v>".utf8)
    #expect(try decoder.decode([String: String].self, from: data) == ["m:title": "t"])
    struct Value: Decodable {
      var title: String
      enum CodingKeys: String, CodingKey { case title = "media:title" }
    }
    #expect(try decoder.decode(Value.self, from: data).title == "t")
  }

  struct Image: Decodable { var src: String }

  @Test func `the article's sample of choices works`() throws {
    enum Block: Decodable {
      case paragraph(String)
      case image(Image)

      enum CodingKeys: String, XMLChoiceCodingKey {
        case paragraph = "p"
        case image = "img"
      }
    }

    struct Page: Decodable {
      var blocks: [Block]

      enum CodingKeys: String, CodingKey {
        case blocks = ""
      }
    }
    let page = try XMLDecoder().decode(Page.self, from: Data("<b><p>x</p><img src='s'/></b>".utf8))

    guard case .image(let image) = page.blocks.last else {
      Issue.record("\(page)")
      return
    }
    #expect(image.src == "s")
  }

  @Test func `missing values are decoded as the article's table says`() throws {
    struct Values: Decodable {
      var s: String?
      var i: Int?
      var l: [String]
      var o: [String]?
    }
    func values(_ content: String) throws -> Values {
      let xsi = "xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'"
      return try XMLDecoder().decode(Values.self, from: Data("<v \(xsi)>\(content)</v>".utf8))
    }

    let nothing = try values("")
    let empty = try values("<s/><i/><l/><o/>")
    let isNil = try values(
      "<s xsi:nil='true'/><i xsi:nil='true'/><l xsi:nil='true'/><o xsi:nil='true'/>")

    #expect(nothing.s == nil && nothing.i == nil && nothing.l == [] && nothing.o == nil)
    #expect(empty.s == "" && empty.i == nil && empty.l == [""] && empty.o == [])
    #expect(isNil.s == nil && isNil.i == nil && isNil.l == [""] && isNil.o == nil)
  }

  @Test func `the article's settings exist`() throws {
    var decoder = XMLDecoder()
    decoder.dateDecodingStrategy = .rfc822
    decoder.unknownChoiceStrategy = .skip

    let data = Data("<d>Thu, 01 Jan 1970 00:00:01 GMT</d>".utf8)
    #expect(try decoder.decode(Date.self, from: data) == Date(timeIntervalSince1970: 1))
  }

  @Test func `the landing page's sample refuses a document type`() {
    let data = Data("<!DOCTYPE a><a/>".utf8)
    #expect(throws: XMLError.self) {
      var options = XMLOptions()
      options.allowsDocumentTypes = false
      let tree = try XMLTree(parsing: data, options: options)
      _ = tree
    }
  }

  @Test func `the samples of the parser and the tree work`() throws {
    let data = Data("<rss><channel><item><title>t</title></item></channel></rss>".utf8)
    let chunks = data.map { [$0] }

    var parser = XMLEventParser()
    var titles = 0
    for chunk in chunks {
      try parser.parse(chunk) { event in
        if case .startElement(let name, _) = event, name.local == "title" { titles += 1 }
      }
    }
    try parser.finish { _ in }

    let tree = try XMLTree(parsing: data)
    #expect(titles == 1)
    #expect(tree.root["channel"]?.elements("item").first?["title"]?.text == "t")
  }

  @Test func `the sample of the writer writes a sitemap`() throws {
    let pages = [(address: "https://example.org/?a=1&b=2", 0)]

    let sitemap = try XMLWriter.document(
      "urlset", ["xmlns": "http://www.sitemaps.org/schemas/sitemap/0.9"]
    ) { urls in
      for page in pages {
        urls.element("url") {
          $0.element("loc", text: page.address)
          $0.element("priority", text: 0.5)
        }
      }
    }

    let url = try XMLTree(parsing: sitemap).root["url"]
    #expect(url?["loc"]?.text == "https://example.org/?a=1&b=2" && url?["priority"]?.text == "0.5")
  }
}
