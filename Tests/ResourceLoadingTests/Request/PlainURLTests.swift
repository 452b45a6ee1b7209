import Foundation
import ResourcePrimitives
import Testing

@testable import ResourceLoading

@Suite struct PlainURLTests {
  @Test(arguments: [
    ("http://example.org", "http://example.org:80"),
    ("https://example.org/a?b", "https://example.org:443"),
    ("https://Example.ORG:8443/a", "https://example.org:8443"),
    ("HTTP://example.org:80/", "http://example.org:80"),
    ("http://u:p@example.org/", "http://example.org:80"),
    ("http://[::1]:8080/", "http://::1:8080"),
    ("https://example.org?a=b", "https://example.org:443"),
    ("https://a_b.example/x", "https://a_b.example:443"),
  ])
  func `an origin has no user info, no capitals, and always a port`(_ url: String, _ origin: String)
    throws
  {
    #expect(try #require(URL(string: url)).origin.description == origin)
  }

  @Test(arguments: [
    ("http://example.org", true), ("https://example.org:443/a?b=c", true),
    ("https://Example.org/", true), ("http://example.org/a/../b", false),
    ("http://example.org/.hidden", false), ("http://example.org/a#b", false),
    ("http://u@example.org/", false), ("http://[::1]/", false), ("HTTP://example.org/", false),
    ("http://example.org:0/", false), ("http://example.org:65536/", false),
    ("http://example.org:99999999999999999999/", false), ("http:///a", false),
    ("ftp://example.org/", false), ("/a", false),
  ])
  func `a plain URL is recognized`(_ url: String, _ isPlain: Bool) throws {
    #expect(try #require(URL(string: url)).isPlain == isPlain)
  }

  @Test(arguments: [
    ("http://example.org/", true), ("https://example.org:1/a?b", true),
    ("http://example.org", false), ("http://Example.org/", false), ("http://example.org/#a", false),
  ])
  func `a normalized URL has a path and lower case`(_ url: String, _ isNormalized: Bool) throws {
    #expect(try #require(URL(string: url)).isNormalized == isNormalized)
  }
}
