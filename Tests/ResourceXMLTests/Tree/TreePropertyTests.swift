import Foundation
import ResourceXML
import TestSupport
import Testing

/// A tree has the content that the event parser reports, in the same order.
@Suite(.inTurn)
struct TreePropertyTests {
  private func events(_ document: String) throws -> [XMLEvent] {
    var events: [XMLEvent] = []
    try XMLEventParser.parse(document.utf8) { events.append($0) }
    return events
  }

  @Test(arguments: [
    "<p>Hello <img src='x'/> world</p>", "<p>See <a href='u'>this</a> now</p>",
    "<p><a href='u'/> \n</p>", "<p><a href='u'>x</a>\n</p>", "<p x='1'><a y='2'/>z</p>",
    "<p><a y='&lt;'/>z</p>", "<p>&#65;<a y='2'/>z&amp;</p>", "<p><a><b y='2'/></a>z</p>",
    "<p>x<a y='2'/><![CDATA[z]]></p>", "<p x='1'>y</p>", "<p x='1'>y<b/></p>", "<p x='1'><b/>y</p>",
    "<!DOCTYPE p [<!ENTITY e '<a y=\"2\"/>']><p>x&e;z</p>".replacing("']", with: "'>]"),
    "<!DOCTYPE p [<!ATTLIST a y CDATA '2'>]><p>x<a/>z</p>",
  ])
  func `an attribute of the last child isn't taken for the parent's`(
    _ document: String
  ) throws {
    let tree = try XMLTree(parsing: Array(document.utf8))

    #expect(try TreeEvents(tree).events == TreeEvents(events(document)).events)
  }

  @Test func `the trees of 2,000 random documents have the parser's events`() throws {
    for seed in 0..<2_000 as Range<UInt64> {
      let document = RandomDocument(seed: seed, size: seed % 20 == 0 ? 300 : 20).text
      let told = try TreeEvents(events(document))

      let tree = try XMLTree(parsing: Array(document.utf8))

      let kept = TreeEvents(tree)
      guard kept.events == told.events, tree.root.text == told.text else {
        Issue.record("seed \(seed): \(document)\n\(kept.events)\n\(told.events)")
        return
      }
    }
  }

  @Test(arguments: SampleDocuments.all)
  func `the tree of a sample has the parser's events`(_ document: String) throws {
    let told = try TreeEvents(events(document))

    let kept = TreeEvents(try XMLTree(parsing: Data(document.utf8)))

    #expect(kept.events == told.events)
  }
}
