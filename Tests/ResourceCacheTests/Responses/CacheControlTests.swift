import Foundation
import ResourceCache
import ResourceLoading
import TestSupport
import Testing

/// RFC 9111 section 5.2.
@Suite(.inTurn)
struct CacheControlTests {
  private func control(_ fields: String...) -> CacheControl {
    var headers = Headers()
    for field in fields { headers.append(.cacheControl, field) }
    return CacheControl(headers)
  }

  @Test func `directives are parsed in any case, order and number of fields`() {
    let control = control(
      "No-Store , PUBLIC", "max-age=5,must-revalidate", "", ",,x-unknown=\"a,b\" , private")

    #expect(control.noStore && control.isPublic && control.mustRevalidate && control.isPrivate)
    #expect(control.maxAge == .seconds(5))
    #expect(!control.noCache && control.staleIfError == nil)
  }

  @Test(arguments: [
    ("max-age=0", 0), ("max-age=\"7\"", 7), ("max-age = 7", 7),
    ("max-age=99999999999999999999", 1 << 31),
    ("max-age=-1", 0), ("max-age=x", 0), ("max-age", 0), ("max-age=1.5", 0), ("max-age=", 0),
    ("max-age=3, max-age=9", 3),
  ])
  func `1.2.2: an age is in whole seconds, and the first one is used`(
    text: String, seconds: Int
  ) {
    #expect(control(text).maxAge == .seconds(seconds))
  }

  @Test func `a quoted text can contain commas and directives`() {
    let control = control(#"ext="no-store, max-age=5, \", no-cache", max-age=6"#)

    #expect(control.maxAge == .seconds(6))
    #expect(!control.noStore && !control.noCache)
  }

  @Test func `5.2.2.4: no-cache for some fields counts as no-cache`() {
    #expect(control(#"no-cache="set-cookie, x""#).noCache)
  }

  @Test func `5.2.1.2: max-stale without a value allows any staleness`() {
    #expect(control("max-stale").maxStale == .seconds(1 << 31))
    #expect(control("max-stale=4").maxStale == .seconds(4))
    #expect(control("max-stale=x").maxStale == .zero)
  }

  @Test func `5.4: Pragma is used without Cache-Control`() {
    #expect(CacheControl([.pragma: "no-cache"]).noCache)
    #expect(!CacheControl([.pragma: "no-cache", .cacheControl: "max-age=5"]).noCache)
  }
}
