import Foundation
import ResourceLoading
import TestSupport
import Testing

/// Links of RFC 8288, beginning with its examples.
@Suite(.inTurn)
struct LinkTests {
  private func response(_ headers: String...) throws -> Response {
    var response = Response(url: try #require(URL(string: "http://example.com/TheBook/chapter3?x")))
    for header in headers { response.headers.append(.link, header) }
    return response
  }

  @Test func `a link has a target, a relation and parameters`() throws {
    let response = try response(
      "<http://example.com/TheBook/chapter2>; rel=\"previous\"; title=\"previous chapter\"")

    let link = try #require(response.links.first)
    #expect(link.target == "http://example.com/TheBook/chapter2")
    #expect(link.relations == ["previous"])
    #expect(link["Title"] == "previous chapter")
    #expect(response.links.count == 1)
  }

  @Test func `a relation may be a URL, and a link may be that of another resource`() throws {
    let response = try response(
      "</>; rel=\"http://example.net/foo\"", "</terms>; rel=\"copyright\"; anchor=\"#foo\"")

    #expect(response.link("http://example.net/foo")?.absoluteString == "http://example.com/")
    #expect(response.links.last?["anchor"] == "#foo")
    #expect(response.link("copyright") == nil)
  }

  @Test func `one header has several links, with parameters in other charsets`() throws {
    let response = try response(
      "</TheBook/chapter2>; rel=\"previous\"; title*=UTF-8'de'letztes%20Kapitel, "
        + "</TheBook/chapter4>; rel=\"next\"; title*=UTF-8'de'n%c3%a4chstes%20Kapitel")

    #expect(response.link("previous")?.absoluteString == "http://example.com/TheBook/chapter2")
    #expect(response.link("next")?.absoluteString == "http://example.com/TheBook/chapter4")
    #expect(response.links.last?["title*"] == "UTF-8'de'n%c3%a4chstes%20Kapitel")
    #expect(response.links.last?["title"] == "nächstes Kapitel")
  }

  @Test(
    arguments: [
      ("title=plain; title*=UTF-8''e%CC%81", "e\u{301}"), ("title*=utf-8'en'x; title=plain", "x"),
      ("title=plain; title*=UTF-8''%FF", "plain"), ("title=plain; title*=koi8-r''%C1", "plain"),
      ("title=plain; title*=x", "plain"), ("title*=x", nil), ("title*=\"UTF-8''a%20b'c\"", "a b'c"),
    ] as [(String, String?)])
  func `a title in UTF-8 is preferred to one in ASCII`(_ parameters: String, _ title: String?)
    throws
  {
    #expect(try response("<a>; " + parameters).links.first?["title"] == title)
  }

  @Test func `a link has several relations`() throws {
    let response = try response(
      "<http://example.org/>; rel=\"start http://example.net/relation/other\"")

    #expect(response.link("start") == response.link("http://example.net/relation/other"))
    #expect(response.links.first?.relations.count == 2)
  }

  @Test(arguments: [
    ("<a>; rel=next", "a"), ("<a>;rel=NEXT", "a"), ("<a> ; rel = \"next\"", "a"),
    ("<a>; REL=\"x next\"", "a"),
    ("<a>; rel=prev, <b>; rel=next", "b"), ("<a>;rel=prev,<b>;rel=next", "b"),
    (",, <b>; rel=next,", "b"), ("<a,b;c>; title=\"x, y; <z>\"; rel=next", "a,b;c"),
    ("<a>; title=\"q\\\"\\\\\"; rel=\"next\"", "a"), ("<b>; rel=\"next", "b"),
    ("<b>; rel=next; rel=prev", "b"),
    ("<a>; rel=prev; rel=next, <b>; rel=next", "b"), ("<a>; crossorigin; rel=next", "a"),
    ("<>; rel=next", ""),
    ("<a>; ;rel=next", "a"), ("<a>; rel=next junk", "a"), ("<a> junk, <b>; rel=next", "b"),
    ("< a >; rel=next", "a"),
    ("<a>; rel='next', <b>; rel=next", "b"), ("<a>; anchor=\"\"; rel=next", "a"),
    ("<?page=2>; rel=next", "?page=2"),
    ("junk, <b>; rel=next", "b"), ("junk <a>; rel=next, <b>; rel=next", "b"),
    ("<a; rel=next, <b>; rel=next", "b"), ("; rel=next, \"x, <a>\", <b>; rel=next", "b"),
    ("<a, <<<b>; rel=next", "b"), ("http://x/a; rel=next, <b>; rel=next", "b"),
    ("<a>; rel=prev, <junk, <b>; rel=next", "b"), (">, <b>; rel=next, <", "b"),
    ("<a>; x=\"\u{301}\"; rel=next", "a"), ("<a>; rel=\"x next \u{301}y\"", "a"),
  ])
  func `the next page is found`(_ header: String, _ target: String) throws {
    let response = try response(header)

    let link = try #require(response.links.first { $0.relations.contains("next") })
    #expect(link.target == target)
    #expect(response.link("next") != nil)
  }

  @Test(arguments: [
    "", ",", "a; rel=next", "<a; rel=next", "<a>", "<a> rel=next", "<a>; rel", "<a>; rel=",
    "<a>; rel=\"\"",
    "<a>; relation=next", "<a>; rel=nextnext", "<a>; rev=next", "<a>; title=\"; rel=next",
    ">; rel=next",
  ])
  func `without a next page there is none`(_ header: String) throws {
    #expect(try response(header).link("next") == nil)
  }
}
