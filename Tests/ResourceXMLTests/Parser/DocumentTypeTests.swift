import ResourceXML
import TestSupport
import Testing

/// The internal subset: its productions, one by one.
@Suite(.inTurn)
struct DocumentTypeTests {
  @Test(arguments: [
    "<!ELEMENT a EMPTY>", "<!ELEMENT a ANY>", "<!ELEMENT a (#PCDATA)>", "<!ELEMENT a ( #PCDATA )>",
    "<!ELEMENT a (#PCDATA)*>", "<!ELEMENT a (#PCDATA|b)*>", "<!ELEMENT a ( #PCDATA | b | c )* >",
    "<!ELEMENT a (b)>", "<!ELEMENT a (b)?>", "<!ELEMENT a (b?)>", "<!ELEMENT a (b,c)>",
    "<!ELEMENT a (b|c)>",
    "<!ELEMENT a (b | (c , d+)* | e?)+>", "<!ELEMENT a ((b))>", "<!ELEMENT a (((b,c)|d),e)>",
    "<!ATTLIST a>", "<!ATTLIST a >", "<!ATTLIST a b CDATA #IMPLIED>",
    "<!ATTLIST a b CDATA #REQUIRED c ID #IMPLIED>",
    "<!ATTLIST a b IDREF #IMPLIED c IDREFS #IMPLIED d ENTITY #IMPLIED e ENTITIES #IMPLIED>",
    "<!ATTLIST a b NMTOKEN '1' c NMTOKENS '-a .b'>", "<!ATTLIST a b (x|y) 'x'>",
    "<!ATTLIST a b ( 1 | -2 ) #IMPLIED>",
    "<!ATTLIST a b NOTATION (n|m) #IMPLIED>", "<!ATTLIST a b CDATA #FIXED 'x'>",
    "<!ATTLIST a b CDATA '&lt;&#60;'>",
    "<!ENTITY e ''>", "<!ENTITY e '&undeclared; &#38; <'>", "<!ENTITY e SYSTEM 's'>",
    "<!ENTITY e PUBLIC 'p' \"s\">",
    "<!ENTITY e SYSTEM 's' NDATA n>", "<!ENTITY % p 'text'>", "<!ENTITY % p SYSTEM 's'>",
    "<!ENTITY % p PUBLIC 'p' 's' >",
    "<!NOTATION n SYSTEM 's'>", "<!NOTATION n PUBLIC 'p'>", "<!NOTATION n PUBLIC 'p' >",
    "<!NOTATION n PUBLIC 'p' 's'>",
    "<!-- <!ENTITY --><?p ]>?> ", "<!ENTITY % p '<!ELEMENT a ANY>'> %p;",
    "<!ENTITY % p '<!ENTITY e \"x\">'>%p;%p;",
    "<!ENTITY % p '&#37;q;'><!ENTITY % q ' '>%p;", "%unknown;",
    "<!ENTITY % p SYSTEM 's'>%p;<!ENTITY e 'x'>",
    "<!ENTITY % p '<![INCLUDE[<!ELEMENT a ANY>]]><![ IGNORE [ <![ x ]]> ]]>'>%p;",
    "<!ENTITY lt '&#38;#60;'><!ENTITY amp '&#38;#38;'>", "<!ENTITY e '&e;'>",
  ])
  func `a declaration that matches the productions is accepted`(_ declaration: String) throws {
    #expect(try canonical("<!DOCTYPE a [\(declaration)]><a></a>").hasSuffix("</a>"))
  }

  @Test(arguments: [
    "<!ELEMENT a>", "<!ELEMENT a (>", "<!ELEMENT a ()>", "<!ELEMENT a EMPTY ANY>",
    "<!ELEMENT a empty>", "<!ELEMENT (a)>",
    "<!ELEMENT a b>", "<!ELEMENT a (b,c|d)>", "<!ELEMENT a (b|c,d)>", "<!ELEMENT a (b,)>",
    "<!ELEMENT a (,b)>",
    "<!ELEMENT a (b c)>", "<!ELEMENT a (b ?)>", "<!ELEMENT a (b) ?>", "<!ELEMENT a (b)**>",
    "<!ELEMENT a ((b)>",
    "<!ELEMENT a (b))>", "<!ELEMENT a (#PCDATA|b)>", "<!ELEMENT a (#PCDATA,b)*>",
    "<!ELEMENT a (b|#PCDATA)*>",
    "<!ELEMENT a (#PCDATA)+>", "<!ELEMENT a (#PCDATA|(b))*>", "<!ELEMENT a (#pcdata)>",
    "<!ELEMENT a(b)>", "<! ELEMENT a ANY>",
    "<!ELEMENT a (#PCDATA|b?)*>", "<!ELEMENT 1 ANY>", "<!ELEMENT a ANY", "<!element a ANY>",
    "<!ELEMENT a %p;>",
    "<!ATTLIST>", "<!ATTLIST a b>", "<!ATTLIST a b CDATA>", "<!ATTLIST a b cdata #IMPLIED>",
    "<!ATTLIST a b CDATA #implied>",
    "<!ATTLIST a b CDATA IMPLIED>", "<!ATTLIST a b CDATA # IMPLIED>", "<!ATTLIST a b CDATA #FIXED>",
    "<!ATTLIST a b CDATA #FIXED'x'>",
    "<!ATTLIST a b CDATA#IMPLIED>", "<!ATTLIST a b () #IMPLIED>", "<!ATTLIST a b (x,y) #IMPLIED>",
    "<!ATTLIST a b (x|) #IMPLIED>",
    "<!ATTLIST a b (x y) #IMPLIED>", "<!ATTLIST a b ('x') #IMPLIED>", "<!ATTLIST a b (x)#IMPLIED>",
    "<!ATTLIST a b NOTATION n #IMPLIED>",
    "<!ATTLIST a b NOTATION(n) #IMPLIED>", "<!ATTLIST a b NOTATION (1) #IMPLIED>",
    "<!ATTLIST a b NMTOKEN x>", "<!ATTLIST a b CDATA '<'>",
    "<!ATTLIST a b CDATA '&undeclared;'>", "<!ATTLIST a b CDATA '&e;'><!ENTITY e 'x'>",
    "<!ATTLIST a b CDATA 'x'c CDATA 'x'>",
    "<!ATTLIST a b CDATA 'x' b>", "<!ATTLIST a b IDREFX #IMPLIED>", "<!ATTLIST a b NAME #IMPLIED>",
    "<!ENTITY x '&#60;'><!ATTLIST a b CDATA '&x;'>",
    "<!ENTITY x SYSTEM 's'><!ATTLIST a b CDATA '&x;'>",
    "<!ENTITY x '&x;'><!ATTLIST a b CDATA '&x;'>",
    "<!ENTITY e>", "<!ENTITY e x>", "<!ENTITY e 'x>", "<!ENTITY e 'x' 'y'>",
    "<!ENTITY e 'x' NDATA n>", "<!ENTITY e '%'>", "<!ENTITY e '&'>",
    "<!ENTITY e '& '>", "<!ENTITY e '&x'>", "<!ENTITY e '&#x;'>", "<!ENTITY e '&#0;'>",
    "<!ENTITY e SYSTEM>", "<!ENTITY e SYSTEM s>",
    "<!ENTITY e PUBLIC 'p'>", "<!ENTITY e PUBLIC 's''t'>", "<!ENTITY e PUBLIC '{' 's'>",
    "<!ENTITY e PUBLIC '\u{e9}' 's'>",
    "<!ENTITY e PUBLIC 'a\tb' 's'>", "<!ENTITY e SYSTEM 's'NDATA n>",
    "<!ENTITY e SYSTEM 's' NDATA>", "<!ENTITY e SYSTEM 's' NDATA 'n'>",
    "<!ENTITY e SYSTEM 's' ndata n>", "<!ENTITY % p SYSTEM 's' NDATA n>", "<!ENTITY %p 'x'>",
    "<!ENTITY% p 'x'>", "<!ENTITY % 'x'>",
    "<!ENTITYe 'x'>", "<!ENTITY e'x'>", "<!ENTITY e SYSTEM's'>", "<!ENTITY e system 's'>",
    "<!entity e 'x'>", "<!ENTITY 1 'x'>",
    "<!ENTITY % p 'x'><!ENTITY e '%p;'>", "<!ENTITY % p 'ANY'><!ELEMENT a %p;>",
    "<!ENTITY e '&#37;'", "<!ENTITY a \"'>",
    "<!NOTATION n>", "<!NOTATION n 's'>", "<!NOTATION n SYSTEM>", "<!NOTATION n PUBLIC>",
    "<!NOTATION n PUBLIC 'p''s'>",
    "<!NOTATION n PUBLIC p>", "<!NOTATION SYSTEM 's'>", "<!NOTATION n SYSTEM 's' 't'>",
    "<!notation n SYSTEM 's'>", "<!NOTATION n PUBLIC '^'>",
    "<![INCLUDE[<!ELEMENT a ANY>]]>", "<![IGNORE[]]>", "<!ENTITY % p '<![INCLUDE[ '>%p;",
    "<!ENTITY % p '<![MAYBE[]]>'>%p;",
    "<!ENTITY % p '<![IGNORE[ <![ ]]>'>%p;", "<!ENTITY % p ']]>'>%p;",
    "<!ENTITY % p '<!ELEMENT a'>%p; ANY>",
    "<!ENTITY % p '<!ELEMENT a &#37;q;>'><!ENTITY % q 'ANY'>%p;", "<!ENTITY % p 'x'>%p;",
    "<!ENTITY % p '&#37;p;'>%p;",
    "<!ENTITY % p '&#37;q;'><!ENTITY % q '&#37;p;'>%p;", "<!ENTITY % p ']'>%p;", "%p", "% p;", "%;",
    "%p ;", "<!-- a -- b -->", "<?xml version='1.0'?>",
    "<!DOCTYPE a>", "&amp;", "<!SGML x>", "<?p",
  ])
  func `a declaration that matches no production is refused`(_ declaration: String) {
    #expect(refusal("<!DOCTYPE a [\(declaration)]><a></a>") != nil)
  }

  @Test(arguments: [
    "<!DOCTYPE a SYSTEM>", "<!DOCTYPE a 's'>", "<!DOCTYPE a PUBLIC 'p'>",
    "<!DOCTYPE a SYSTEM 's' 't'>", "<!DOCTYPE a PUBLIC 'p''s'>",
    "<!DOCTYPE a SYSTEM's'>", "<!DOCTYPE a SYSTEM 's'[]x>", "<!DOCTYPE aSYSTEM 's' [] []>",
    "<!DOCTYPE a NDATA 's'>", "<!DOCTYPE a PUBLIC '<' 's'>",
    "<!DOCTYPE a b>",
  ])
  func `an invalid external identifier is refused`(_ type: String) {
    #expect(refusal(type + "<a/>") != nil)
  }

  @Test func `the XML declaration is an event`() throws {
    let document = """
      <?xml version="1.0" encoding="utf-8" standalone="no"?>
      <!DOCTYPE a PUBLIC " -//X//\n Y " "http://example.org/s'" [
      <!NOTATION n PUBLIC "p"><!NOTATION m SYSTEM 's'><!NOTATION n SYSTEM 'later'><?pi in side ?>
      ]><a/>
      """

    var events: [XMLEvent] = []
    try XMLEventParser.parse(document.utf8) { events.append($0) }

    guard case .declaration(let declaration) = events[0], case .documentType(let type) = events[1]
    else {
      Issue.record("\(events)")
      return
    }
    #expect(declaration.encoding == "utf-8")
    #expect(declaration.standalone == false)
    #expect(type.publicID == "-//X// Y")
    #expect(type.systemID == "http://example.org/s'")
    #expect(type.notations.map(\.name) == ["n", "m"])
    #expect(type.notations[0].publicID == "p")
    #expect(events[2] == .processingInstruction(target: "pi", data: "in side "))
  }
}
