import CacheTestSupport
import Foundation
import ResourceCache
import ResourceLoading
import TestSupport
import Testing

/// RFC 9111 section 3.
@Suite(.inTurn)
struct StoringRuleTests {
  typealias Exchange = CacheExchange

  static let table: [(request: Request, response: Response, isStored: Bool)] = [
    (Exchange.request(), Exchange.response(), true),
    (Exchange.request([:], .post), Exchange.response([.cacheControl: "max-age=60"]), false),
    (Exchange.request([:], .head), Exchange.response([.cacheControl: "max-age=60"]), false),
    (Exchange.request([.range: "bytes=0-1"]), Exchange.response([:], 206), false),
    (Exchange.request(), Exchange.response([.cacheControl: "max-age=60"], 206), false),
    (
      Exchange.request([.range: "bytes=0-3"]),
      Exchange.response([.contentRange: "bytes 0-3/9"], 206), true
    ),
    (
      Exchange.request([.range: "bytes=0-4"]),
      Exchange.response([.contentRange: "bytes 0-4/9"], 206), false
    ),
    (
      Exchange.request([.range: "bytes=0-3,5-6"]),
      Exchange.response([.contentRange: "bytes 0-3/9"], 206), false
    ),
    (Exchange.request(), Exchange.response([.contentRange: "bytes 0-3/9"], 206), false),
    (Exchange.request([.range: "bytes=0-3"]), Exchange.response(), true),
    (Exchange.request([.range: "bytes=9-"]), Exchange.response([:], 416), false),
    (Exchange.request(), Exchange.response([:], 304), false),
    (Exchange.request(), Exchange.response([.cacheControl: "no-store"]), false),
    (Exchange.request([.cacheControl: "no-store"]), Exchange.response(), false),
    (Exchange.request(), Exchange.response([.cacheControl: "no-store, must-understand"]), true),
    (
      Exchange.request(),
      Exchange.response([.cacheControl: "no-store, must-understand, max-age=5"], 599), false
    ),
    (
      Exchange.request(), Exchange.response([.cacheControl: "must-understand, max-age=5"], 599),
      false
    ),
    (Exchange.request(), Exchange.response([.cacheControl: "max-age=5"], 599), true),
    (Exchange.request(), Exchange.response([.cacheControl: "no-cache"]), true),
    (Exchange.request(), Exchange.response([.cacheControl: "private"]), true),
    // 3.5: a private cache may store it in the credential's partition.
    (Exchange.request([.authorization: "Bearer t"]), Exchange.response(), true),
    // 4.1: no request would ever match it.
    (Exchange.request(), Exchange.response([.vary: "*"]), false),
    (Exchange.request(), Exchange.response([.vary: "Accept, *"]), false),
    // Statuses that may be stored only if a directive allows it.
    (Exchange.request(), Exchange.response([:], 302), false),
    (Exchange.request(), Exchange.response([.cacheControl: "max-age=5"], 302), true),
    (Exchange.request(), Exchange.response([.expires: "0"], 500), true),
    (Exchange.request(), Exchange.response([:], 500), false),
    (Exchange.request(), Exchange.response([:], 404), true),
    (Exchange.request(), Exchange.response([.cacheControl: "max-age=5"], 412), false),
    // RFC 6585 sections 3 to 6.
    (Exchange.request(), Exchange.response([.cacheControl: "max-age=5"], 428), false),
    (Exchange.request(), Exchange.response([.cacheControl: "max-age=5"], 429), false),
    (Exchange.request(), Exchange.response([.cacheControl: "max-age=5"], 431), false),
    (Exchange.request(), Exchange.response([.cacheControl: "max-age=5"], 511), false),
    (Exchange.request(), Exchange.response([.cacheControl: "public"], 403), true),
  ]

  @Test(arguments: table.indices)
  func `3: these responses may be stored, and others may not`(index: Int) {
    let row = Self.table[index]

    #expect(StoringRule.mayStore(row.response, to: row.request) == row.isStored)
  }

  @Test func `3.1 and 7.3: fields of the connection and cookies aren't stored`() {
    let headers: Headers = [
      .connection: "X-Hop, keep-alive", "X-Hop": "1", "Keep-Alive": "timeout=5",
      .transferEncoding: "chunked",
      "Proxy-Authenticate": "Basic", .eTag: "\"1\"", "X-Stays": "a", .setCookie: "b",
    ]

    let stored = Exchange.stored(headers)

    #expect(stored.response.headers == [.eTag: "\"1\"", "X-Stays": "a"])
  }

  static let varying: [(vary: String, then: Headers, now: Headers, isSelected: Bool)] = [
    ("Accept", [.accept: "a"], [.accept: "a"], true),
    ("accept", [.accept: "a"], [.accept: "b"], false),
    ("Accept", [.accept: "a"], [:], false),
    ("Accept", [:], [:], true),
    ("Accept", [:], [.accept: "a"], false),
    ("Accept", [.accept: "a, b"], [.accept: "a,b"], true),
    ("Accept", [.accept: "a,b"], ["accept": "a", "Accept": "b"], true),
    ("Accept", [.accept: "a,b"], [.accept: "b,a"], false),
    ("Accept, Accept-Language", [.acceptLanguage: "de"], [.acceptLanguage: "de"], true),
    ("Accept, Accept-Language", [.acceptLanguage: "de"], [.acceptLanguage: "en"], false),
    ("Accept-Language", [.acceptLanguage: "en, de"], [.acceptLanguage: "eN,De"], true),
    ("Accept-Language", [.acceptLanguage: "\u{C9}"], [.acceptLanguage: "\u{E9}"], false),
    ("Accept-Encoding", [.acceptEncoding: "gzip;q=0.5"], [.acceptEncoding: "GZIP;Q=0.5"], true),
    ("Accept-Charset", ["Accept-Charset": "UTF-8"], ["Accept-Charset": "utf-8"], true),
    ("Accept", [.accept: "a;b=C"], [.accept: "a;b=c"], false),
    ("Accept", [.accept: "a;b=\"c, d\""], [.accept: "a;b=\"c,d\""], false),
    ("Accept", [.accept: "a;b=\"c,,d\""], [.accept: "a;b=\"c,d\""], false),
    ("Accept", [.accept: "a;b=\"c\", d"], [.accept: "a;b=\"c\", d"], true),
    ("*", [:], [:], false),
    ("", [.accept: "a"], [.accept: "b"], true),
  ]

  @Test(arguments: varying.indices)
  func `4.1: Vary distinguishes requests by the fields it names`(index: Int) {
    let row = Self.varying[index]
    let stored = Exchange.stored([.vary: row.vary], to: Exchange.request(row.then))

    #expect(stored.isSelected(by: Exchange.request(row.now)) == row.isSelected)
  }

  @Test func `4.1: only request fields that Vary names are stored`() {
    let request = Exchange.request([.accept: "a", .authorization: "secret", "X": "y"])

    #expect(Exchange.stored([.vary: "accept"], to: request).selectingHeaders == [.accept: "a"])
  }
}
