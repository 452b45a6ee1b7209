import Foundation
import ResourceLoading
import TestSupport
import Testing

/// Dates of RFC 9110 section 5.6.7.
@Suite(.inTurn)
struct HTTPDateTests {
  /// 6 November 1994, 08:49:37.
  private static let example = Date(timeIntervalSince1970: 784_111_777)

  @Test(arguments: [
    "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    "sun, 06 nov 1994 08:49:37 gmt", "SUNDAY, 06-NOV-94 08:49:37 GMT", "SUN NOV  6 08:49:37 1994",
    " Sun, 06 Nov 1994 08:49:37 GMT\t", "Sun Nov 06 08:49:37 1994",
  ])
  func `the three forms of a date are equal`(_ text: String) {
    #expect(HTTPDate(text, now: Self.example)?.date == Self.example)
  }

  @Test(arguments: [
    "", "0", "-1", "120", "garbage", "Sun", "Sun,", "Sun, ", "Sun, 06 Nov 1994 08:49:37",
    "Sun, 06 Nov 1994 08:49:37 GMT+1", "Sun, 06 Nov 1994 08:49:37 UTC",
    "Sun, 06 Nov 94 08:49:37 GMT",
    "Sun, 6 Nov 1994 08:49:37 GMT", "Sun,06 Nov 1994 08:49:37 GMT",
    "Sun, 06  Nov 1994 08:49:37 GMT",
    "Sun, 06 Foo 1994 08:49:37 GMT", "Son, 06 Nov 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 8:49:37 GMT",
    "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:00 GMT",
    "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
    "Wed, 31 Nov 1994 08:49:37 GMT",
    "Wed, 29 Feb 1900 00:00:00 GMT", "Sunday, 06 Nov 1994 08:49:37 GMT",
    "Sun, 06-Nov-94 08:49:37 GMT", "Sunday, 06-Nov-1994 08:49:37 GMT",
    "Sunday Nov  6 08:49:37 1994",
    "Sun Nov 6 08:49:37 1994", "Sun Nov  6 08:49:37 1994 GMT", "Sun Nov  6 08:49:37 94",
    "1994-11-06T08:49:37Z", "Sun, ０6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 99999 08:49:37 GMT",
  ])
  func `anything else isn't a date`(_ text: String) {
    #expect(HTTPDate(text) == nil)
  }

  @Test(arguments: [
    (2026, "94", 1994), (2026, "26", 2026), (2026, "76", 2076), (2026, "77", 1977),
    (2026, "75", 2075), (1999, "49", 2049), (1999, "50", 1950), (1999, "00", 2000),
    (2090, "05", 2105), (2090, "41", 2041), (2000, "00", 2000),
  ])
  func `a two-digit year is at most fifty years ahead`(
    _ now: Int, _ digits: String, _ expected: Int
  ) throws {
    let now = try #require(HTTPDate("Sat, 01 Jan \(now) 00:00:00 GMT"))
    let expected = try #require(HTTPDate("Sat, 01 Jan \(expected) 00:00:00 GMT"))

    #expect(HTTPDate("Saturday, 01-Jan-\(digits) 00:00:00 GMT", now: now.date) == expected)
  }

  @Test func `the limit of fifty years is exact to the second`() throws {
    let now = try #require(HTTPDate("Tue, 10 Mar 2026 12:00:00 GMT")).date

    let last = try #require(HTTPDate("Tuesday, 10-Mar-76 12:00:00 GMT", now: now))
    let tooFar = try #require(HTTPDate("Tuesday, 10-Mar-76 12:00:01 GMT", now: now))

    #expect(last.description == "Tue, 10 Mar 2076 12:00:00 GMT")
    #expect(tooFar.description == "Wed, 10 Mar 1976 12:00:01 GMT")
  }

  @Test(arguments: [
    (0.0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777.9, "Sun, 06 Nov 1994 08:49:37 GMT"),
    (-0.5, "Wed, 31 Dec 1969 23:59:59 GMT"), (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
    (4_107_542_399, "Sun, 28 Feb 2100 23:59:59 GMT"), (1e300, "Fri, 31 Dec 9999 23:59:59 GMT"),
    (-1e300, "Sat, 01 Jan 0000 00:00:00 GMT"), (.nan, "Thu, 01 Jan 1970 00:00:00 GMT"),
    (.infinity, "Fri, 31 Dec 9999 23:59:59 GMT"),
  ])
  func `a date is written in the fixed form`(_ seconds: Double, _ expected: String) {
    #expect(HTTPDate(Date(timeIntervalSince1970: seconds)).description == expected)
  }

  @Test func `every written date is read back`() {
    for day in stride(from: -200_000, through: 2_000_000, by: 97) {
      let date = HTTPDate(Date(timeIntervalSince1970: TimeInterval(day * 86_400 + 47_001)))
      #expect(HTTPDate(date.description) == date)
    }
  }

  @Test func `a leap second is the second after it`() throws {
    let leap = try #require(HTTPDate("Sat, 31 Dec 2016 23:59:60 GMT"))

    #expect(leap.description == "Sun, 01 Jan 2017 00:00:00 GMT")
  }

  @Test func `earlier dates compare as less`() {
    let one = HTTPDate(Date(timeIntervalSince1970: 1))
    let two = HTTPDate(Date(timeIntervalSince1970: 2))

    #expect(one < two && !(two < one))
  }
}
