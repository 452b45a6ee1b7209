import Foundation
import ResourceXML
import TestSupport
import Testing

@Suite(.inTurn)
struct DecodingTests {
  private func decode<T: Decodable>(
    _ type: T.Type, _ document: String, at path: String? = nil, decoder: XMLDecoder = XMLDecoder()
  ) throws -> T {
    try decoder.decode(type, from: Data(document.utf8), at: path)
  }

  struct Item: Decodable, Equatable {
    var title: String
    var link: String?
    var category: [String]
    var count: Int?
  }

  @Test func `elements and attributes are found by the same key, elements first`() throws {
    struct Value: Decodable, Equatable {
      var a: String
      var b: Int
      var c: Bool?
    }

    #expect(try decode(Value.self, "<v a='1' b='2'/>") == Value(a: "1", b: 2, c: nil))
    #expect(
      try decode(Value.self, "<v><a>1</a><b> 2 </b><c>true</c></v>") == Value(a: "1", b: 2, c: true)
    )
    #expect(try decode(Value.self, "<v a='attribute' b='2'><a>element</a></v>").a == "element")
  }

  @Test func `a key can name the kind of node`() throws {
    struct Value: Decodable, Equatable {
      var element: String?
      var attribute: String
      var text: String?
      enum CodingKeys: String, CodingKey {
        case element = "a"
        case attribute = "@a"
        case text = ""
      }
    }
    struct Typed: Decodable {
      var a: String?
      var b: String?
      var c: String?
      enum CodingKeys: String, XMLNodeCodingKey {
        case a, b, c
        var node: XMLNodeKind { self == .a ? .element : self == .b ? .attribute : .content }
      }
    }

    #expect(
      try decode(Value.self, "<v a='1'><a>2</a></v>")
        == Value(element: "2", attribute: "1", text: "2"))
    #expect(
      try decode(Value.self, "<v a='1'>x</v>") == Value(element: "1", attribute: "1", text: "x"))
    #expect(try decode(Value.self, "<v a='1'/>").text == nil)
    let typed = try decode(Typed.self, "<v a='1' b='2'><b>3</b></v>")
    #expect(typed.a == nil)
    #expect(typed.b == "2")
    #expect(typed.c == "3")
  }

  @Test(arguments: ["\u{903}a", "p:\u{903}a", "q:\u{903}a", "{u}\u{903}a", "@\u{903}b"])
  func `a key may have a local name that begins with a combining character`(_ key: String) throws {
    let document = "<r xmlns:p='u' \u{903}b='x'><p:\u{903}a>x</p:\u{903}a></r>"
    var decoder = XMLDecoder()
    decoder.namespaces = ["q": "u"]

    #expect(try decode(String.self, document, at: "r.\(key)", decoder: decoder) == "x")
  }

  @Test(arguments: ["", "#text"])
  func `an element with attributes can have text`(_ key: String) throws {
    struct Link: Decodable {
      var href: URL
      var text: String
      enum CodingKeys: String, CodingKey {
        case href
        case text = ""
      }
    }
    struct Hash: Decodable {
      var href: URL
      var text: String
      enum CodingKeys: String, CodingKey {
        case href
        case text = "#text"
      }
    }
    let document = "<a href='https://example.org/'> x &amp; y </a>"

    #expect(
      try key.isEmpty
        ? decode(Link.self, document).text == "x & y" : decode(Hash.self, document).text == "x & y")
  }

  @Test func `zero, one and several elements are arrays`() throws {
    let two = "<i><title>t</title><category>a</category><other/><category>b</category></i>"

    #expect(try decode(Item.self, two).category == ["a", "b"])
    #expect(
      try decode(Item.self, "<i><title>t</title><category>a</category></i>").category == ["a"])
    #expect(try decode(Item.self, "<i><title>t</title></i>").category == [])
    #expect(
      try decode([String: [Int]].self, "<d><x>1</x><y>2</y><x>3</x></d>") == [
        "x": [1, 3], "y": [2],
      ])
  }

  @Test func `many children are found by name and namespace`() throws {
    struct Many: Decodable {
      var a: [Int]
      var b: [Int]
      var p: [Int]
      var id: String
      enum CodingKeys: String, CodingKey {
        case a, b
        case p = "x:a"
        case id
      }
    }
    let children = (0..<500).map { "<a>\($0)</a><b>\(-$0)</b><x:a>7</x:a>" }.joined()

    let many = try decode(Many.self, "<m id='i' xmlns:x='u'>\(children)</m>")

    #expect(many.a == Array(0..<500))
    #expect(many.b == (0..<500).map { -$0 })
    #expect(many.p.count == 500)
    #expect(many.id == "i")
  }

  @Test func `missing and empty values are nil, or empty strings`()
    throws
  {
    struct Value: Decodable, Equatable {
      var s: String?
      var i: Int?
      var d: Date?
      var u: URL?
      var l: [String]?
    }

    #expect(try decode(Value.self, "<v/>") == Value())
    #expect(try decode(Value.self, "<v><s/><i/><d> </d><u/><l/></v>") == Value(s: "", l: []))
    #expect(
      try decode(
        Value.self,
        "<v xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'><s xsi:nil='true'/><i xsi:nil='1'>3</i><l xsi:nil='true'/></v>"
      ) == Value())
    #expect(try decode([Int?].self, "<v><i>1</i><i/><i>3</i></v>") == [1, nil, 3])
    #expect(try decode([String: String].self, "<v b='2'><a/></v>") == ["a": "", "b": "2"])
  }

  @Test func `CDATA, comments and mixed content are text`() throws {
    #expect(try decode(String.self, "<a><![CDATA[<b>]]> &amp; <!-- c -->d</a>") == "<b> & d")
    #expect(try decode(String.self, "<a>x <b>y</b> z</a>") == "x y z")
    #expect(try decode([String: String].self, "<a><t>x <b>y</b></t></a>") == ["t": "x y"])
  }

  @Test func `a path selects a value`() throws {
    let document =
      "<rss><channel><title>t</title><item><title>1</title></item><item><title>2</title></item></channel></rss>"

    #expect(try decode(Item.self, document, at: "rss.channel").title == "t")
    #expect(try decode([Item].self, document, at: "rss.channel.item").map(\.title) == ["1", "2"])
    #expect(try decode(String.self, document, at: "rss.channel.item.title") == "1")
    #expect(throws: DecodingError.self) { try decode(Item.self, document, at: "rss.chanel") }
    #expect(throws: DecodingError.self) { try decode(Item.self, document, at: "feed.channel") }
  }

  @Test func `nested arrays are the rows of a table`() throws {
    let document = "<t><row><c>1</c><c>2</c></row><row><c>3</c></row></t>"

    #expect(try decode([[Int]].self, document) == [[1, 2], [3]])
    #expect(
      try decode([String: [[Int]]].self, "<x>\(document.dropFirst(3).dropLast(4))</x>") == [
        "row": [[1, 2], [3]]
      ])
  }

  @Test func `classes, super decoders and containers by hand work`() throws {
    struct Manual: Decodable {
      var values: [Int] = []
      init(from decoder: any Decoder) throws {
        enum Key: String, CodingKey { case a, b, c }
        let container = try decoder.container(keyedBy: Key.self)
        var list = try container.nestedUnkeyedContainer(forKey: .a)
        while !list.isAtEnd { values.append(try list.decode(Int.self)) }
        let inner = try container.nestedContainer(keyedBy: Key.self, forKey: .b)
        values.append(try inner.decode(Int.self, forKey: .c))
        values.append(
          try container.superDecoder(forKey: .c).singleValueContainer().decode(Int.self))
        var none = try container.nestedUnkeyedContainer(forKey: .a)
        _ = try none.decode(Int.self)
        values.append(none.currentIndex)
        #expect(container.allKeys.map(\.rawValue) == ["a", "b", "c"])
      }
    }

    #expect(
      try decode(Manual.self, "<m><a>1</a><a>2</a><b><c>3</c></b><c>4</c><z/></m>").values == [
        1, 2, 3, 4, 1,
      ])
  }
}
