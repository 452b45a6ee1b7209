import ResourceXML
import TestSupport
import Testing

/// Limits, and documents that only attackers write.
@Suite(.inTurn)
struct HostileDocumentTests {
  private func nested(_ levels: Int) -> String {
    String(repeating: "<a>", count: levels) + String(repeating: "</a>", count: levels)
  }

  private func laughs(_ levels: Int, _ width: Int, inAttribute: Bool = false) -> String {
    var subset = "<!ENTITY e0 'ha'>"
    for level in 1...levels {
      subset += "<!ENTITY e\(level) '\(String(repeating: "&e\(level - 1);", count: width))'>"
    }
    return "<!DOCTYPE a [\(subset)]>"
      + (inAttribute ? "<a b='&e\(levels);'/>" : "<a>&e\(levels);</a>")
  }

  @Test
  func `a billion laughs are refused in content, attributes, defaults and parameter entities`() {
    #expect(refusal(laughs(10, 10)) == .limit)
    #expect(refusal(laughs(10, 10, inAttribute: true)) == .limit)
    let type = laughs(10, 10).replacing(
      "]><a>&e10;</a>", with: "<!ATTLIST a b CDATA '&e10;'>]><a/>")
    #expect(refusal(type) == .limit)
    var subset = "<!ENTITY % p0 ' '>"
    for level in 1...12 {
      subset += "<!ENTITY % p\(level) '\(String(repeating: "&#37;p\(level - 1);", count: 10))'>"
    }
    #expect(refusal("<!DOCTYPE a [\(subset)%p12;]><a/>") == .limit)
  }

  @Test func `a billion expansions of an empty entity are refused`() {
    #expect(refusal(laughs(12, 12).replacing("'ha'", with: "''")) == .limit)
  }

  @Test func `quadratic growth is refused`() {
    let large = String(repeating: "x", count: 100_000)
    let references = String(repeating: "&e;", count: 50_000)

    #expect(refusal("<!DOCTYPE a [<!ENTITY e '\(large)'>]><a>\(references)</a>") == .limit)
    #expect(refusal("<!DOCTYPE a [<!ENTITY e '\(large)'>]><a b='\(references)'/>") == .limit)
    let elements = String(repeating: "<b/>", count: 50_000)
    #expect(refusal("<!DOCTYPE a [<!ATTLIST b c CDATA '\(large)'>]><a>\(elements)</a>") == .limit)
  }

  @Test func `a cycle through many entities is found`() {
    let subset = (0..<50).map { "<!ENTITY e\($0) '&e\(($0 + 1) % 50);'>" }.joined()

    #expect(refusal("<!DOCTYPE a [\(subset)]><a>&e0;</a>") == .recursiveEntity)
    #expect(refusal("<!DOCTYPE a [\(subset)]><a b='&e0;'/>") == .recursiveEntity)
  }

  @Test func `entities nested too deep are refused`() {
    let subset =
      (0..<1000).map { "<!ENTITY e\($0) '&e\($0 + 1);'>" }.joined() + "<!ENTITY e1000 ''>"

    #expect(refusal("<!DOCTYPE a [\(subset)]><a>&e0;</a>") == .limit)
    #expect(refusal("<!DOCTYPE a [\(subset)]><a b='&e0;'/>") == .limit)
  }

  @Test func `elements can be nested up to the limit`() throws {
    #expect(refusal(nested(1000)) == nil)
    #expect(refusal(nested(1001)) == .limit)
    var options = XMLOptions()
    options.maximumDepth = .max
    #expect(refusal(nested(1_000_000), options: options) == nil)
    let tree = try XMLTree(parsing: Array(nested(200_000).utf8), options: options)
    #expect(tree.root.text == "")
  }

  @Test func `content models can be nested deeply`() {
    let model =
      String(repeating: "(", count: 100_000) + "b" + String(repeating: ")", count: 100_000)

    #expect(refusal("<!DOCTYPE a [<!ELEMENT a \(model)>]><a/>") == nil)
    #expect(refusal("<!DOCTYPE a [<!ELEMENT a \(model.dropLast())>]><a/>") != nil)
  }

  @Test func `the limits of names, attributes and size are enforced`() {
    let long = String(repeating: "n", count: 4_097)
    let many = (0..<1025).map { " a\($0)=''" }.joined()

    #expect(refusal("<\(long)/>") == .limit)
    #expect(refusal("<a \(long)=''/>") == .limit)
    #expect(refusal("<a>&\(long);</a>") == .limit)
    #expect(refusal("<a\(many)/>") == .limit)
    var options = XMLOptions()
    options.maximumDocumentSize = 10
    #expect(refusal("<a>12345678</a>", options: options) == .limit)
    #expect(refusal("<a>123</a>", options: options) == nil)
  }

  @Test func `many names, attributes, declarations and prefixes take linear time`() {
    // Quadratic work would take 10^10 steps here.
    let names = (0..<100_000).map { "<n\($0)/>" }.joined()
    let attributes = (0..<1000).map { " a\($0)='\($0)'" }.joined()
    let prefixes = (0..<1000).map { " xmlns:p\($0)='u\($0)'" }.joined()
    let uses = (0..<50_000).map { "<p\($0 % 1000):b/>" }.joined()
    let declared = (0..<20_000).map { " a\($0) CDATA #IMPLIED" }.joined()
    let elements = String(repeating: "<b/>", count: 20_000)

    #expect(refusal("<a>\(names)</a>") == nil)
    #expect(refusal("<a>\(String(repeating: "<b\(attributes)/>", count: 50))</a>") == nil)
    #expect(refusal("<a\(prefixes)>\(uses)</a>") == nil)
    #expect(refusal("<!DOCTYPE a [<!ATTLIST b\(declared)>]><a>\(elements)</a>") == nil)
  }

  @Test(arguments: SampleDocuments.all)
  func `changed and dropped bytes never crash the parser`(_ document: String) {
    let bytes = Array(document.utf8)
    var random = SmallGenerator(seed: 3)

    for i in bytes.indices {
      var dropped = bytes
      dropped.remove(at: i)
      _ = refusal(dropped)
      var flipped = bytes
      flipped[i] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      _ = refusal(flipped)
      _ = try? XMLTree(parsing: flipped)
    }
  }
}
