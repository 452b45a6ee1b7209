import CacheTestSupport
import Foundation
import ResourceLoading
import Testing

@testable import ResourceCache

/// Fields are split at scalars. A combining accent after a delimiter doesn't hide it, and a
/// lookalike isn't a delimiter.
@Suite struct ScalarSyntaxTests {
  typealias Exchange = CacheExchange

  /// Each of these forms one character with the delimiter before it.
  static let marks = ["", "\u{301}", "\u{FE0F}", "\u{200D}"]

  @Test(arguments: marks)
  func `a combining accent doesn't hide a Cache-Control directive`(mark: String) {
    for text in [
      "x,\(mark) max-age=5, no-store", "x=\(mark), no-store, max-age=5",
      "x=\"\(mark)a\", no-store, max-age=5", "x=\"a\"\(mark), no-store, max-age=5",
      "x=\"\\\"\(mark)\", no-store, max-age=5", "x= \(mark),no-store,max-age=5",
    ] {
      let control = CacheControl([.cacheControl: text])

      #expect(control.noStore && control.maxAge == .seconds(5), "\(text)")
    }
    #expect(CacheControl([.pragma: "x,\(mark)no-cache\(mark)"]).noCache == mark.isEmpty)
  }

  @Test func `only spaces and tabs are white space`() {
    #expect(!CacheControl([.cacheControl: "a\u{2003}no-store"]).noStore)
    #expect(CacheControl([.cacheControl: "a,\t no-store \t"]).noStore)
    let headers: Headers = [.vary: "\u{A0}*"]
    #expect(!headers.variesByEverything)
  }

  @Test(arguments: marks)
  func `a combining accent doesn't hide a name in Vary`(mark: String) {
    let headers: Headers = [.vary: "X-A,\(mark)X-B,*"]

    #expect(headers.variesByEverything)
    #expect(headers.varyingNames.count == 3)
  }

  @Test func `values that differ only in their bytes are different variants`() {
    let (one, other) = ("caf\u{E9}", "cafe\u{301}")
    let request = { (value: String) in Exchange.request([.acceptLanguage: value]) }
    let stored = Exchange.stored([.vary: "Accept-Language"], to: request(one))

    #expect(stored.isSelected(by: request(one)))
    #expect(!stored.isSelected(by: request(other)))
  }

  @Test(arguments: marks)
  func `a combining accent doesn't hide the end of an age`(mark: String) {
    let stored = Exchange.stored([.age: "7,\(mark)x", .cacheControl: "max-age=60"])

    #expect(stored.age(at: Exchange.start) == .seconds(7))
  }

  @Test(arguments: marks)
  func `a combining accent doesn't hide an entity tag`(mark: String) {
    let stored = Exchange.stored([.eTag: "\"\(mark)a\""])

    #expect(stored.isUnmodified(for: Exchange.request([.ifNoneMatch: "\"b\", W/\"\(mark)a\""])))
    #expect(!stored.isUnmodified(for: Exchange.request([.ifNoneMatch: "\"b\",\(mark) \"c\""])))
  }

  @Test func `entity tags are compared by their bytes`() {
    let stored = Exchange.stored([.eTag: "\"caf\u{E9}\""])

    #expect(!stored.isUnmodified(for: Exchange.request([.ifNoneMatch: "\"cafe\u{301}\""])))
    #expect(!stored.isMatch(for: Exchange.response([.eTag: "\"cafe\u{301}\""], .notModified)))
    #expect(stored.isMatch(for: Exchange.response([.eTag: "W/\"caf\u{E9}\""], .notModified)))
  }

  @Test(arguments: marks)
  func `a combining accent doesn't keep a field of the connection`(mark: String) {
    let headers: Headers = [.connection: "X-Hop,\(mark)x", "X-Hop": "1"]

    #expect(headers.withoutExchangeFields["X-Hop"] == nil)
  }
}
