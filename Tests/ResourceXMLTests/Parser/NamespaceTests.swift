import ResourceXML
import TestSupport
import Testing

/// Namespaces in XML 1.0, third edition.
@Suite(.inTurn)
struct NamespaceTests {
  @Test(arguments: [
    ("5: prefix of an element", "<p:a/>", XMLError.Kind.namespace),
    ("5: prefix of an attribute", "<a p:b=''/>", .namespace),
    ("5: out of scope", "<a><b xmlns:p='u'/><p:c/></a>", .namespace),
    ("3: xml to another", "<a xmlns:xml='u'/>", .namespace),
    ("3: another to xml", "<a xmlns:p='http://www.w3.org/XML/1998/namespace'/>", .namespace),
    ("3: xmlns declared", "<a xmlns:xmlns='http://www.w3.org/2000/xmlns/'/>", .namespace),
    ("3: another to xmlns", "<a xmlns:p='http://www.w3.org/2000/xmlns/'/>", .namespace),
    ("3: default to xml", "<a xmlns='http://www.w3.org/XML/1998/namespace'/>", .namespace),
    ("3: default to xmlns", "<a xmlns='http://www.w3.org/2000/xmlns/'/>", .namespace),
    ("3: element xmlns", "<xmlns:a/>", .namespace),
    ("3: unbound prefix", "<a xmlns:p='u'><b xmlns:p=''/></a>", .namespace),
    ("4: two colons", "<a:b:c xmlns:a='u'/>", .namespace), ("4: colon first", "<:a/>", .namespace),
    ("4: colon last", "<a: xmlns:a='u'/>", .namespace),
    ("4: local part", "<a:1 xmlns:a='u'/>", .namespace),
    ("4: attribute", "<a b:c:d='' xmlns:b='u'/>", .namespace),
    ("6.3: duplicate", "<a xmlns:p='u' xmlns:q='u' p:b='' q:b=''/>", .duplicateAttribute),
    ("7: target", "<a/><?p:q d?>", .namespace),
    ("7: entity", "<!DOCTYPE a [<!ENTITY p:q ''>]><a/>", .namespace),
    ("7: notation", "<!DOCTYPE a [<!NOTATION p:q SYSTEM ''>]><a/>", .namespace),
    ("4: declared element", "<!DOCTYPE a [<!ELEMENT p:q:r ANY>]><a/>", .namespace),
    ("4: document type", "<!DOCTYPE :a><a/>", .namespace),
    (
      "6.3: duplicate by default",
      "<!DOCTYPE a [<!ATTLIST a q:b CDATA ''>]><a xmlns:p='u' xmlns:q='u' p:b=''/>",
      .duplicateAttribute
    ),
    ("3: empty by entity", "<!DOCTYPE a [<!ENTITY e ''>]><a xmlns:p='&e;'/>", .namespace),
  ])
  func `an invalid name is refused with namespaces, and without them only if XML refuses it`(
    _ claim: String, _ document: String, _ kind: XMLError.Kind
  ) {
    #expect(refusal(document) == kind, "\(claim)")
    #expect(refusal(document, options: plainOptions) == nil, "\(claim)")
  }

  @Test(
    arguments: [
      ("<a/>", nil, nil), ("<a xmlns='u'/>", "u", nil), ("<p:a xmlns:p='u'/>", "u", nil),
      ("<xml:a/>", "http://www.w3.org/XML/1998/namespace", nil),
      (
        "<a xmlns:xml='http://www.w3.org/XML/1998/namespace'/>", nil,
        "http://www.w3.org/2000/xmlns/"
      ), ("<a xmlns='u' b=''/>", "u", nil),
      ("<a b='' xmlns='u' />", "u", nil),
      ("<a xml:lang='en'/>", nil, "http://www.w3.org/XML/1998/namespace"),
      ("<a p:b='' xmlns:p='u&amp;v'/>", nil, "u&v"),
      ("<!DOCTYPE a [<!ATTLIST a xmlns CDATA 'd'>]><a/>", "d", "http://www.w3.org/2000/xmlns/"),
      (
        "<!DOCTYPE a [<!ATTLIST p:a xmlns:p CDATA 'd'>]><p:a/>", "d",
        "http://www.w3.org/2000/xmlns/"
      ),
    ] as [(String, String?, String?)])
  func `the root and its first plain attribute have the namespace`(
    _ document: String, _ element: String?, _ attribute: String?
  ) throws {
    var names: [XMLName] = []
    var attributes: [XMLName] = []
    try XMLEventParser.parse(document.utf8) { event in
      if case .startElement(let name, let list) = event {
        names.append(name)
        attributes = list.map(\.name)
      }
    }

    #expect(names.first?.namespace == element)
    let first = attributes.first {
      $0.qualified != "xmlns" || attributes.count == 1 && element == "d"
    }
    if element != "u" { #expect(first?.namespace == attribute) }
  }

  @Test func `namespace declarations apply to the element, its attributes and its content`() throws
  {
    let document =
      "<a xmlns='1' xmlns:p='2'><b xmlns='' p:c=''><p:d xmlns:p='3'/><p:e/></b><f/></a>"

    var names: [String] = []
    try XMLEventParser.parse(document.utf8) { event in
      if case .startElement(let name, _) = event {
        names.append("\(name.local)=\(name.namespace ?? "-")")
      }
    }

    #expect(names == ["a=1", "b=-", "d=3", "e=2", "f=1"])
  }

  @Test func `a name has its prefix, local part and namespace`() {
    let name = XMLName(qualified: "p:local", local: "local", namespace: "u")

    #expect(name.prefix == "p")
    #expect(XMLName(qualified: "local").prefix == nil)
    // A vowel sign may begin a name, and forms one character with the colon before it.
    #expect(XMLName(qualified: "p:\u{903}a", local: "\u{903}a").prefix == "p")
  }

  @Test func `attributes with the same local name in different namespaces are distinct`() throws {
    let document = "<a xmlns='u' xmlns:p='u' b='1' p:b='2'/>"

    #expect(try canonical(document) == "<a b=\"1\" p:b=\"2\" xmlns=\"u\" xmlns:p=\"u\"></a>")
  }

  @Test func `without namespaces a colon is an ordinary character`() throws {
    #expect(try canonical("<:a: b::c=''/>", options: plainOptions) == "<:a: b::c=\"\"></:a:>")
  }
}
