import ResourceXML
import TestSupport
import Testing

/// References to entities: sections 4.1 to 4.4.
@Suite(.inTurn)
struct EntityTests {
  @Test(
    arguments: [
      ("<!ENTITY e '&e;'>", "<a>&e;</a>", .recursiveEntity),
      ("<!ENTITY e '&f;'><!ENTITY f '<b>&e;</b>'>", "<a>&e;</a>", .recursiveEntity),
      ("<!ENTITY e '&e;'>", "<a b='&e;'/>", .recursiveEntity),
      ("<!ENTITY e '&f;'><!ENTITY f 'x&e;'>", "<a b='&e;'/>", .recursiveEntity),
      ("<!ENTITY e '<c b=\"&e;\"/>'>", "<a>&e;</a>", .recursiveEntity),
      ("<!ENTITY e SYSTEM 's'>", "<a b='&e;'/>", .forbiddenReference),
      ("<!ENTITY e '&f;'><!ENTITY f SYSTEM 's'>", "<a b='&e;'/>", .forbiddenReference),
      ("<!ENTITY e SYSTEM 's' NDATA n>", "<a>&e;</a>", .forbiddenReference),
      ("<!ENTITY e SYSTEM 's' NDATA n>", "<a b='&e;'/>", .forbiddenReference),
      ("<!ENTITY e '<b>'>", "<a>&e;</b></a>", .syntax),
      ("<!ENTITY e '</b>'>", "<a><b>&e;</a>", .mismatchedTag),
      ("<!ENTITY e '</a><a>'>", "<a>&e;</a>", .mismatchedTag),
      ("<!ENTITY e '<b'>", "<a>&e;/></a>", .syntax),
      ("<!ENTITY e '<![CDATA['>", "<a>&e;]]></a>", .syntax),
      ("<!ENTITY e '<!--'>", "<a>&e;--></a>", .syntax),
      ("<!ENTITY e '&#38;'>", "<a>&e;</a>", .syntax),
      ("<!ENTITY e '&#38;f'>", "<a>&e;;</a>", .syntax),
      ("<!ENTITY e '&#60;'>", "<a>&e;</a>", .syntax),
      ("<!ENTITY e '&#60;'>", "<a b='&e;'/>", .syntax),
      ("<!ENTITY e '<'>", "<a b='&e;'/>", .syntax),
      ("<!ENTITY e '&#38;'>", "<a b='&e;'/>", .syntax),
      ("<!ENTITY e ']]&#62;'>", "<a>&e;</a>", .syntax),
      ("<!ENTITY e '<?xml version=\"1.0\"?>'>", "<a>&e;</a>", .syntax),
      ("<!ENTITY e '&undeclared;'>", "<a>&e;</a>", .undeclaredEntity),
      ("<!ENTITY e '&undeclared;'>", "<a b='&e;'/>", .undeclaredEntity),
      ("<!ENTITY % e 'x'>", "<a>&e;</a>", .undeclaredEntity),
      ("<!ENTITY e 'x'>", "<a/>&e;", .syntax), ("<!ENTITY e '<a/>'>", "&e;", .syntax),
      ("<!ENTITY e '<a></a>'>", "&e;<a/>", .syntax),
      ("<!ELEMENT a ANY>", "<a>%e;&f;</a>", .undeclaredEntity),
    ] as [(String, String, XMLError.Kind)])
  func `an invalid reference to an entity is refused`(
    _ subset: String, _ root: String, _ kind: XMLError.Kind
  ) {
    #expect(refusal("<!DOCTYPE a [\(subset)]>\(root)") == kind)
  }

  @Test(arguments: [
    ("<!DOCTYPE a><a>&e;</a>", false), ("<!DOCTYPE a SYSTEM 's'><a>&e;</a>", true),
    ("<?xml version='1.0' standalone='yes'?><!DOCTYPE a SYSTEM 's'><a>&e;</a>", false),
    ("<?xml version='1.0' standalone='no'?><!DOCTYPE a SYSTEM 's'><a b='&e;'/>", true),
    ("<?xml version='1.0' standalone='yes'?><!DOCTYPE a [<!ENTITY % p ''>%p;]><a>&e;</a>", false),
    (
      "<?xml version='1.0' standalone='yes'?><!DOCTYPE a [<!ENTITY % p '<!ENTITY e \"\">'>%p;]><a>&e;</a>",
      false
    ),
    (
      "<?xml version='1.0' standalone='yes'?><!DOCTYPE a [<!ENTITY % p SYSTEM 's'>%p;<!ENTITY e ''>]><a>&e;</a>",
      true
    ),
    ("<!DOCTYPE a [<!ENTITY % p '<!ATTLIST a b CDATA \"&e;\">'>%p;]><a/>", true),
  ])
  func `an entity must be declared unless an unread part may declare it`(
    _ document: String, _ isAccepted: Bool
  ) {
    #expect((refusal(document) == nil) == isAccepted)
    #expect(isAccepted || refusal(document) == .undeclaredEntity)
  }

  @Test func `an error in an entity is located at the reference`() {
    let document = "<!DOCTYPE a [<!ENTITY e '<b>x</c>'>]>\n<a>\n  &e;</a>"

    let error = #expect(throws: XMLError.self) { try canonical(document) }

    #expect(error?.line == 3)
    #expect(error?.column == 3)
    #expect(error?.kind == .mismatchedTag)
  }
}
