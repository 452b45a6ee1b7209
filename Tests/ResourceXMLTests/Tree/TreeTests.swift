import Foundation
import ResourceXML
import TestSupport
import Testing

@Suite(.inTurn)
struct TreeTests {
  private func tree(_ document: String) throws -> XMLTree {
    try XMLTree(parsing: Array(document.utf8))
  }

  @Test func `elements, attributes and text are found by name`() throws {
    let root = try tree("<a x='1' p:y='2' xmlns:p='u'><b>one</b><p:b>two</p:b> <c><d/></c></a>")
      .root

    #expect(root.name.qualified == "a")
    #expect(root.attribute("x") == "1")
    #expect(root.attribute("y") == "2")
    #expect(root.attribute("p:y") == "2")
    #expect(root.attribute("y", namespace: "u") == "2")
    #expect(root.attribute("x", namespace: "u") == nil)
    #expect(root.attribute("z") == nil)
    #expect(root["b"]?.text == "one")
    #expect(root["p:b"]?.text == "two")
    #expect(root.elements("b", namespace: "u").map(\.text) == ["two"])
    #expect(root.elements.map(\.name.local) == ["b", "b", "c"])
    #expect(root["c"]?["d"]?.text == "")
    #expect(root["e"] == nil)
    #expect(root.attributes.map(\.value) == ["1", "2", "u"])
  }

  @Test(arguments: [
    ("<a/>", ""), ("<a>x</a>", "x"), ("<a>x<b>y</b>z</a>", "xyz"), ("<a>x&amp;y</a>", "x&y"),
    ("<a>x<!-- -->y</a>", "xy"),
    ("<a><![CDATA[<x>]]>y</a>", "<x>y"), ("<a>x\r\ny\rz</a>", "x\ny\nz"), ("<a b='1'>x</a>", "x"),
    ("<a b='&lt;'>x&#65;</a>", "xA"),
    ("<!DOCTYPE a [<!ENTITY e 'p<b>q</b>'>]><a>x&e;y</a>", "xpqy"), ("<a><b/>x</a>", "x"),
    ("<a>x<b/></a>", "x"),
    ("<!DOCTYPE a [<!ENTITY e 'q'>]><a>x&e;</a>", "xq"),
    ("<!DOCTYPE a [<!ENTITY e '<b>q</b>'>]><a>&e;</a>", "q"),
  ])
  func `an element's text is all of its characters in order`(_ document: String, _ expected: String)
    throws
  {
    #expect(try tree(document).root.text == expected)
  }

  @Test func `attribute values are normalised and expanded`() throws {
    let root = try tree(
      "<!DOCTYPE a [<!ENTITY e 'v'><!ATTLIST a d CDATA 'dv'>]><a b='x&amp;&e;' c='p\nq'/>"
    ).root

    #expect(root.attributes.map(\.value) == ["x&v", "p q", "dv"])
  }

  @Test func `mixed content keeps its order`() throws {
    let content = try tree("<a>x<b>y</b>z<c/></a>").root.content.map { item -> String in
      switch item {
      case .text(let text): text
      case .element(let element): "<\(element.name)>"
      }
    }

    #expect(content == ["x", "<b>", "z", "<c>"])
  }

  @Test func `an element has line and column`() throws {
    let root = try tree("<a>\n  <b>äx</b><c/><d>&amp;</d></a>").root

    #expect(root["b"]?.position ?? (0, 0) == (2, 6))
    #expect(root["c"]?.position ?? (0, 0) == (2, 12))
    #expect(root["d"]?.position ?? (0, 0) == (2, 19))
  }

  @Test func `a tree has the same errors as the events`() {
    for document in ["", "<a>", "<a></b>", "<a/>x", "<a>&b;</a>"] {
      #expect(throws: XMLError.self) { try tree(document) }
    }
  }

  @Test func `an error has line, column and a snippet`() {
    let error = #expect(throws: XMLError.self) { try tree("<a>\r\n<b>ä</c>\r\n</a>") }

    #expect(error?.line == 2)
    #expect(error?.column == 5)
    #expect(error?.snippet == "<a> <b>ä</c> </a>")
    #expect(
      error?.description
        == "the end tag doesn't match the open element: b (line 2, column 5, near “<a> <b>ä</c> </a>”)"
    )
  }
}
