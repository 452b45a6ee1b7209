import Foundation
import ResourceXML
import TestSupport
import Testing

/// The options of a decoder, and their defaults.
@Suite(.inTurn)
struct DecodingOptionTests {
  private enum Block: Decodable, Equatable {
    case paragraph(String)
    case line(Int)
    enum CodingKeys: String, XMLChoiceCodingKey {
      case paragraph = "p"
      case line = "x:l"
    }
  }

  private struct Page: Decodable, Equatable {
    var title: String
    var id: Int
    var blocks: [Block]
    enum CodingKeys: String, CodingKey {
      case title
      case id = "@id"
      case blocks = ""
    }
  }

  private func decode<T: Decodable>(
    _ type: T.Type, _ document: String, at path: String? = nil,
    _ change: (inout XMLDecoder) -> Void = { _ in }
  ) throws -> T {
    var decoder = XMLDecoder()
    change(&decoder)
    return try decoder.decode(type, from: Data(document.utf8), at: path)
  }

  private func failure<T: Decodable>(
    _ type: T.Type, _ document: String, at path: String? = nil,
    _ change: (inout XMLDecoder) -> Void = { _ in }
  ) -> XMLError? {
    do {
      _ = try decode(type, document, at: path, change)
      return nil
    } catch let error as DecodingError {
      switch error {
      case .dataCorrupted(let context), .keyNotFound(_, let context), .typeMismatch(_, let context),
        .valueNotFound(_, let context):
        return context.underlyingError as? XMLError
      @unknown default: return nil
      }
    } catch { return nil }
  }

  @Test func `choices can occur beside elements of other properties`() throws {
    let page = try decode(
      Page.self, "<v id='7'>\n<p>a</p><title>T</title>\n<p>b</p></v>")

    #expect(page == Page(title: "T", id: 7, blocks: [.paragraph("a"), .paragraph("b")]))
  }

  @Test func `an unknown element among choices is an error or is skipped, as the strategy says`()
    throws
  {
    let document = "<v id='7' xmlns:x='u'>\n<title>T</title>\n <q>?</q>text<p>a</p><x:l>2</x:l></v>"

    let error = try #require(failure(Page.self, document.replacing("text", with: "")))
    let page = try decode(Page.self, document) { $0.unknownChoiceStrategy = .skip }

    #expect(error.line == 3 && error.column == 5)
    #expect(error.message == "no case matches this element")
    #expect(
      failure(Page.self, "<v id='7'><title/><p/>t</v>")?.message == "no case matches this text")
    #expect(page == Page(title: "T", id: 7, blocks: [.paragraph("a"), .line(2)]))
    // A known element with an error inside isn't skipped.
    #expect(
      failure(Page.self, "<v id='7' xmlns:x='u'><title/><x:l>z</x:l></v>") {
        $0.unknownChoiceStrategy = .skip
      }?.message == "“z” isn't a Int")
    #expect(
      try decode([Block].self, "<v><q><p>x</p></q><p>a</p></v>") {
        $0.unknownChoiceStrategy = .skip
      } == [.paragraph("a")])
  }

  @Test func `an attribute is a list of items separated by white space`() throws {
    struct Value: Decodable, Equatable {
      var ids: [Int]
      var names: [String]?
      var flags: Set<Bool>
      var links: [URL]
    }

    let value = try decode(
      Value.self, "<v ids=' 1 22&#10;-3 ' names='' flags='true 0' links='a:b c:d'/>")

    #expect(value.ids == [1, 22, -3] && value.names == [] && value.flags == [true, false])
    #expect(value.links.map(\.absoluteString) == ["a:b", "c:d"])
    let error = failure(Value.self, "<v ids='1 x 3' flags='' links=''/>")
    #expect(error?.message == "“x” isn't a Int")
    // Elements repeat instead.
    #expect(try decode([String: [String]].self, "<v><a>x y</a></v>") == ["a": ["x y"]])
    #expect(try decode([String: String].self, "<v a='x y'/>") == ["a": "x y"])
  }

  @Test func `one empty element is an empty list if the list is optional`() throws {
    struct Item: Decodable, Equatable { var name: String }
    struct Value: Decodable, Equatable { var item: [Item]? }

    #expect(try decode(Value.self, "<v/>").item == nil)
    #expect(try decode(Value.self, "<v><item/></v>").item == [])
    #expect(try decode(Value.self, "<v><item name='n'/></v>").item == [Item(name: "n")])
    #expect(failure(Value.self, "<v><item/><item/></v>")?.message.contains("“name”") == true)
  }

  @Test(arguments: [
    ("Wed, 02 Oct 2002 13:00:00 GMT", 1_033_563_600.0), ("2 Oct 02 15:00 +0200", 1_033_563_600),
    ("02 Oct 2002 08:00:00 EST", 1_033_563_600), (" Wed, 2 Oct 2002 ", 1_033_516_800),
  ])
  func `dates of RFC 822 are read`(_ text: String, _ seconds: Double) throws {
    #expect(
      try decode(Date.self, "<d>\(text)</d>") { $0.dateDecodingStrategy = .rfc822 }
        == Date(timeIntervalSince1970: seconds))
  }

  @Test(arguments: ["", "2002-10-02", "Oct", String(repeating: "1 ", count: 100_000)])
  func `a text that isn't a date of RFC 822 is refused`(_ text: String) {
    #expect(
      failure(Date.self, "<d>\(text)</d>") { $0.dateDecodingStrategy = .rfc822 }?.kind == .content)
  }

  @Test func `a formatter reads dates`() throws {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(identifier: "UTC")
    formatter.dateFormat = "dd.MM.yyyy"

    #expect(
      try decode(Date.self, "<d> 02.01.1970\n</d>") {
        $0.dateDecodingStrategy = .formatted(formatter)
      }
        == Date(timeIntervalSince1970: 86_400))
    #expect(
      failure(Date.self, "<d>x</d>") { $0.dateDecodingStrategy = .formatted(formatter) } != nil)
  }

  @Test(arguments: [
    ("<s xml:space='preserve'> a </s>", " a "), ("<s xml:space='default'> a </s>", "a"),
    ("<s xml:space='preserve'> <b> a </b>&#10;</s>", "  a \n"),
    ("<s xml:space='preserve'><b xml:space='default'> a </b></s>", "a"),
    ("<!DOCTYPE s [<!ATTLIST s xml:space CDATA #FIXED 'preserve'>]><s> a\r\n</s>", " a\n"),
    ("<s><![CDATA[ a ]]></s>", " a "), ("<s>\n <![CDATA[ a ]]>\n </s>", " a "),
    ("<s>\n b <![CDATA[ a ]]>\n </s>", "b  a "), ("<s> <![CDATA[ ]]> </s>", " "),
    ("<s> <![CDATA[\r\na]]> b </s>", "\na b"), ("<s> <b> <![CDATA[ a]]></b> </s>", " a"),
    ("<s> x <![CDATA[]]> </s>", "x"),
    ("<s> <b><![CDATA[ a ]]></b> c <i><![CDATA[ d ]]></i> </s>", " a  c  d "),
    ("<!DOCTYPE s [<!ENTITY e '<![CDATA[ a ]]>'>]><s> &e; </s>", " a "), ("<s>  </s>", ""),
  ])
  func `trimming doesn't change xml:space and CDATA`(_ document: String, _ expected: String) throws
  {
    #expect(try decode(String.self, document) == expected)
    #expect(
      try decode(String.self, document) { $0.whitespaceStrategy = .collapsed }
        == expected.split(whereSeparator: \.isWhitespace).joined(separator: " "))
  }

  @Test func `numbers ignore preserved white space`() throws {
    #expect(try decode(Int.self, "<i xml:space='preserve'> 7 </i>") == 7)
    #expect(try decode([Int].self, "<v><i> <![CDATA[ 7 ]]></i></v>") == [7])
  }

  @Test func `document types are refused by the option`() throws {
    var options = XMLOptions()
    options.allowsDocumentTypes = false

    #expect(refusal("<!DOCTYPE a><a/>", options: options) == .documentType)
    #expect(
      refusal("<!-- c --><!DOCTYPE a [<!ENTITY e ''>]><a/>", options: options) == .documentType)
    #expect(refusal("<?xml version='1.0'?><a/>", options: options) == nil)
    let error = failure(String.self, "\n<!DOCTYPE a><a/>") { $0.options = options }
    #expect(error?.line == 2 && error?.message == "document types are refused")
  }

  @Test func `a repeated element is an error if the strategy says so`() throws {
    struct Inner: Decodable { var x: Int }
    struct Value: Decodable {
      var a: String?
      var b: Int?
      var c: Inner?
      var d: [Int]
      var e: Date?
    }
    let more = "<d>1</d><d>2</d>"
    func told(_ document: String) -> XMLError? {
      failure(Value.self, document) { $0.repeatedElementStrategy = .fail }
    }

    #expect(try decode(Value.self, "<v><a>x</a>\(more)<a>y</a></v>").a == "x")
    #expect(told("<v><a/><b/><c x='1'/>\(more)<e>2024</e></v>") == nil)
    for name in ["a", "b", "c", "e"] {
      let element = name == "c" ? "<c x='1'/>" : "<\(name)>2024</\(name)>"
      let error = told("<v>\n\(element)\(more)\n\(element)</v>")
      #expect(error?.line == 3, "\(name)")
      #expect(error?.message == "there are 2 elements “\(name)” where one is expected")
    }
  }

  @Test func `errors of types are located at a path and in choices`() throws {
    struct Picky: Decodable {
      init(from decoder: any Decoder) throws {
        throw DecodingError.dataCorrupted(
          DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "picky"))
      }
    }
    struct Item: Decodable { var p: Picky }
    enum Choice: Decodable {
      case item(Item)
      enum CodingKeys: String, XMLChoiceCodingKey { case item }
    }
    let document = "<rss>\n <channel>\n  <item><p>1</p></item><item><p>2</p></item></channel></rss>"
    func place<T: Decodable>(_ type: T.Type, _ path: String?) -> [Int]? {
      failure(type, document, at: path).map { [$0.line, $0.column] }
    }

    #expect(place(Item.self, "rss.channel.item") == [3, 12])
    #expect(place([Item].self, "rss.channel.item") == [3, 12])
    #expect(place(Picky.self, "rss.channel") == [2, 2])
    let choices = "<rss>\n <item>\n  <p>1</p></item></rss>"
    #expect(failure([Choice].self, choices, at: "rss").map { [$0.line, $0.column] } == [3, 6])
    #expect(place([String: [Item]].self, "rss.channel") == [3, 12])
  }

  @Test(arguments: [
    (
      "<!-- c -->\n<?xml version='1.0'?><a/>",
      "an XML declaration must be at the very beginning", 2
    ),
    ("<!-- c --><?xml version='1.0' enc", "an XML declaration must be at the very beginning", 1),
    ("\n<?xml version='1.0'?><a/>", "an XML declaration must be at the very beginning", 2),
    ("<a/><?XML ?>", "the target “xml” is reserved", 1),
    ("<!-- c -->\n", "the document ends before its root element", 2),
    ("<?xml version='1.0'?>", "the document ends before its root element", 1),
    ("<!-- c", "the document ends too early", 1), ("<a>", "the document ends too early", 1),
  ])
  func `errors before the root are specific`(
    _ document: String, _ message: String, _ line: Int
  ) {
    let error = failure(String.self, document)

    #expect(error?.message == message && error?.line == line)
    #expect(refusal(document) == error?.kind)
  }
}
