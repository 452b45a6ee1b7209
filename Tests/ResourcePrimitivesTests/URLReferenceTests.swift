import Foundation
import TestSupport
import Testing

@testable import ResourcePrimitives

/// The references of RFC 3986 section 5.4 and others.
@Suite(.inTurn)
struct URLReferenceTests {
  private static let base = "http://a/b/c/d;p?q"

  /// Sections 5.4.1 and 5.4.2.
  private static let published = [
    ("g:h", "g:h"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
    ("/g", "http://a/g"), ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"),
    ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q#s"), ("g#s", "http://a/b/c/g#s"),
    ("g?y#s", "http://a/b/c/g?y#s"), (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"),
    ("g;x?y#s", "http://a/b/c/g;x?y#s"), ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"),
    ("./", "http://a/b/c/"), ("..", "http://a/b/"), ("../", "http://a/b/"),
    ("../g", "http://a/b/g"),
    ("../..", "http://a/"), ("../../", "http://a/"), ("../../g", "http://a/g"),
    ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"), ("/./g", "http://a/g"),
    ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"),
    ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"),
    ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"),
    ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g;x=1/../y", "http://a/b/c/y"),
    ("g?y/./x", "http://a/b/c/g?y/./x"), ("g?y/../x", "http://a/b/c/g?y/../x"),
    ("g#s/./x", "http://a/b/c/g#s/./x"), ("g#s/../x", "http://a/b/c/g#s/../x"),
    ("http:g", "http:g"),
  ]

  @Test(arguments: published)
  func `the published references give the published targets`(
    _ reference: String, _ expected: String
  ) throws {
    let base = try #require(URL(string: Self.base))

    #expect(URL(reference: reference, from: base)?.absoluteString == expected)
  }

  @Test(arguments: [
    ("http://a", "g", "http://a/g"), ("http://a?x", "g", "http://a/g"),
    ("http://a?x", "?y", "http://a?y"),
    ("http://a", "../g", "http://a/g"), ("http://a", "..", "http://a/"),
    ("http://a", "", "http://a"),
    ("http://a/b", "//h:80/../x", "http://h:80/x"), ("http://a/b?c/d", "e", "http://a/e"),
    ("http://a/b#f", "", "http://a/b"), ("http://a/b#f", "#", "http://a/b#"),
    ("http://[::1]:8/b", "c", "http://[::1]:8/c"), ("http://a/b", "HTTP://c/./d", "HTTP://c/d"),
    ("http://a/b/", "c:d", "c:d"), ("http://a/b/", "./c:d", "http://a/b/c:d"),
    ("http://a/b/", "1:d", "http://a/b/1:d"), ("http://a/b//c", "../d", "http://a/b/d"),
    ("http://a/b//c", "d", "http://a/b//d"), ("http://a/", ".//d", "http://a//d"),
    ("http://u:p@a:1/b?c", "d", "http://u:p@a:1/d"), ("http://a/b", " c ", "http://a/c"),
    ("http://a/b", "c d", "http://a/c%20d"), ("http://a/b", "/ü", "http://a/%C3%BC"),
    ("http://a/b", "/x%2F..", "http://a/x%2F.."),
  ])
  func `other references are resolved by the same rules`(
    _ base: String, _ reference: String, _ expected: String
  ) throws {
    let base = try #require(URL(string: base))

    #expect(URL(reference: reference, from: base)?.absoluteString == expected)
  }

  @Test(arguments: [
    ("/b%C3%A4 ä", "http://a/b%C3%A4%20%C3%A4"), ("/a%20b|c", "http://a/a%20b%7Cc"),
    ("?q=a%26b ü", "http://a/b/c/d;p?q=a%26b%20%C3%BC"), ("/100%", "http://a/100%25"),
    ("/%zz%2F", "http://a/%25zz%2F"), ("#%20 x", "http://a/b/c/d;p?q#%20%20x"),
    ("https://münchen.example/%C3%BC?q=%20#%20", "https://xn--mnchen-3ya.example/%C3%BC?q=%20#%20"),
    ("//[::1]:8/[x]", "http://[::1]:8/%5Bx%5D"),
  ])
  func `escapes are kept while other characters are escaped`(
    _ reference: String, _ expected: String
  ) throws {
    let base = try #require(URL(string: Self.base))

    #expect(URL(reference: reference, from: base)?.absoluteString == expected)
  }
}
