import Foundation
import ResourceXML
import TestSupport
import Testing

struct XMLWriterTests {
  private func text(
    _ root: String, _ attributes: KeyValuePairs<String, String?> = [:],
    _ content: (inout XMLWriter) throws -> Void = { _ in }
  ) throws -> String {
    let document = try XMLWriter.document(root, attributes, content)
    let declaration = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    let text = String(decoding: document, as: UTF8.self)
    #expect(text.hasPrefix(declaration))
    return String(text.dropFirst(declaration.count))
  }

  @Test func `elements, attributes and text are written in order`() throws {
    let written = try text("feed", ["xmlns": "https://example.org/", "x": nil, "lang": "en"]) {
      $0.element("empty")
      $0.element("price", ["currency": "EUR"], text: 1.5)
      $0.element("entry") {
        $0.text("a")
        $0.element("a:b", ["a:c": ""])
        $0.text("d")
      }
    }

    #expect(
      written
        == #"<feed xmlns="https://example.org/" lang="en"><empty/><price currency="EUR">1.5</price>"#
        + #"<entry>a<a:b a:c=""/>d</entry></feed>"#)
  }

  @Test func `text and attributes are escaped as their places require`() throws {
    let written = try text("a", ["b": "<\"'&>\t\n\r"]) { $0.text("<\"'&]]>\t\n\r") }

    #expect(
      written
        == "<a b=\"&lt;&quot;'&amp;&gt;&#9;&#10;&#13;\">&lt;\"'&amp;]]&gt;\t\n&#13;</a>")
  }

  @Test(arguments: [
    "", " a ", "<a>&amp;</a>", "]]>", "\r\n\r\t\n", "é🎉\u{2028}\u{85}", "<!--", "<?x?>", "&#0;",
    String(repeating: "\"'<&", count: 1000),
  ])
  func `what is written is read again`(_ value: String) throws {
    let document = try XMLWriter.document("a", ["b": value]) { $0.element("c", text: value) }

    let tree = try XMLTree(parsing: document)

    #expect(tree.root.attribute("b") == value)
    #expect(tree.root["c"]?.text == value)
  }

  @Test(arguments: [
    ("a b", XMLError.Kind.syntax), ("", .syntax), ("1a", .syntax), ("a:b:c", .syntax),
    (":a", .syntax), ("a:", .syntax), ("a>", .syntax), ("<", .syntax), ("a\0", .syntax),
  ])
  func `a name that isn't one is an error`(_ name: String, _ kind: XMLError.Kind) throws {
    let element = #expect(throws: XMLError.self) { try XMLWriter.document(name) }
    let attribute = #expect(throws: XMLError.self) {
      try XMLWriter.document("root", [:]) { writer in
        writer.element("child", KeyValuePairs(dictionaryLiteral: (name, "x")))
      }
    }

    #expect(element?.kind == kind && attribute?.kind == kind)
    #expect(element?.line == 2 && element?.column == 1)
    #expect(attribute?.line == 2 && attribute?.column == 13)
  }

  @Test(arguments: ["\0", "a\u{B}b", "\u{FFFE}", "\u{1B}[0m"])
  func `a character that XML can't contain is an error in text and attributes`(
    _ value: String
  ) throws {
    let text = #expect(throws: XMLError.self) { try XMLWriter.document("a") { $0.text(value) } }
    let attribute = #expect(throws: XMLError.self) { try XMLWriter.document("a", ["b": value]) }

    #expect(text?.kind == .invalidCharacter && attribute?.kind == .invalidCharacter)
  }

  @Test func `two attributes of one name are an error, unless one is left out`() throws {
    let error = #expect(throws: XMLError.self) {
      try XMLWriter.document("a", ["b": "1", "b": "2"])
    }

    #expect(error?.kind == .duplicateAttribute)
    #expect(try text("a", ["b": nil, "b": "2"]) == #"<a b="2"/>"#)
  }

  @Test func `an element whose content fails is an error, even if it is caught`() {
    struct Oops: Error {}

    let error = #expect(throws: XMLError.self) {
      try XMLWriter.document("r") {
        try? $0.element("a") { _ in throw Oops() }
        $0.element("b")
      }
    }
    #expect(throws: Oops.self) {
      try XMLWriter.document("r") { try $0.element("a") { _ in throw Oops() } }
    }

    #expect(error?.kind == .syntax)
  }
}
