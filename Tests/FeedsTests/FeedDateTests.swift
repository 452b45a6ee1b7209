import Foundation
import TestSupport
import Testing

@testable import feeds

@Suite(.inTurn)
struct FeedDateTests {
  @Test(arguments: [
    ("1970-01-01T00:00:00Z", 0.0),
    ("2026-11-20T05:10:00Z", 1_795_151_400),
    ("2026-11-20T05:10:00.25Z", 1_795_151_400.25),
    ("2026-11-20t05:10:00z", 1_795_151_400),
    ("2026-11-20 05:10:00 UTC", 1_795_151_400),
    ("2026-11-20T06:10:00+01:00", 1_795_151_400),
    ("2026-11-20T06:10:00+0100", 1_795_151_400),
    ("2026-11-20T06:10+01", 1_795_151_400),
    ("2026-11-19T22:10:00-07:00", 1_795_151_400),
    ("2026-11-20T05:10", 1_795_151_400),
    (" 2026-11-20T05:10:00Z\n", 1_795_151_400),
    ("2026-11-20", 1_795_132_800),
    ("2026-11", 1_793_491_200),
    ("2026", 1_767_225_600),
    ("2024-02-29", 1_709_164_800),
    ("2016-12-31T23:59:60Z", 1_483_228_800),
    ("2026-11-19T24:00:00Z", 1_795_132_800),
    ("1969-12-31T23:59:59Z", -1),
    ("0001-01-01", -62_135_596_800),
  ])
  func `RFC 3339 and W3C-DTF are read`(_ text: String, _ seconds: Double) {
    #expect(FeedDate.parse(text) == .unix(seconds))
  }

  @Test(arguments: [
    ("Fri, 20 Nov 2026 05:10:00 GMT", 1_795_151_400.0),
    ("Fri, 20 Nov 2026 05:10:00 +0000", 1_795_151_400),
    ("20 Nov 2026 05:10:00 Z", 1_795_151_400),
    ("Fri, 20 Nov 26 05:10 UT", 1_795_151_400),
    ("Fri 20 Nov 2026 05:10:00 UTC", 1_795_151_400),
    ("Friday, 20 November 2026 05:10:00 gmt", 1_795_151_400),
    ("Friday, 20-Nov-26 05:10:00 GMT", 1_795_151_400),
    ("Fri Nov 20 05:10:00 2026", 1_795_151_400),
    ("Thu Nov 19 21:10:00 PST 2026", 1_795_151_400),
    ("November 20, 2026 05:10", 1_795_151_400),
    ("Fri, 20 Nov 2026 00:10:00 EST", 1_795_151_400),
    ("Fri, 20 Nov 2026 01:10:00 EDT", 1_795_151_400),
    ("Thu, 19 Nov 2026 23:10:00 CST", 1_795_151_400),
    ("Thu, 19 Nov 2026 22:10:00 PDT", 1_795_151_400),
    ("Fri, 20 Nov 2026 06:10:00 CET", 1_795_151_400),
    ("Fri, 20 Nov 2026 06:10:00 +0100 (CET)", 1_795_151_400),
    ("Fri, 20 Nov 2026 07:10:00 GMT+2", 1_795_151_400),
    ("Fri, 20 Nov 2026 07:10:00 GMT +0200", 1_795_151_400),
    ("Fri, 20 Nov 2026 07:10:00 +02:00", 1_795_151_400),
    ("Fri, 20 Nov 2026 05:10:00 A", 1_795_151_400),
    ("Fri, 20 Nov 2026 05:10:00 QQQ", 1_795_151_400),
    ("Fri,  20  Nov  2026\n 05:10:00\tGMT", 1_795_151_400),
    ("20 Nov 2026", 1_795_132_800),
    ("2026 Nov 20", 1_795_132_800),
    ("Sat, 07 Sep 02 00:00:01 GMT", 1_031_356_801),
    ("Mon, 06 Sep 99 00:00:00 GMT", 936_576_000),
    ("Sun, 2 Mar 2003 3:4:5 GMT", 1_046_574_245),
  ])
  func `RFC 822 is read in the forms that feeds have`(_ text: String, _ seconds: Double) {
    #expect(FeedDate.parse(text) == .unix(seconds))
  }

  @Test(arguments: [
    "", " ", "soon", "yesterday at 5", "2026-13-01", "2026-02-29", "2026-11-31",
    "2026-11-20T25:00Z",
    "2026-11-20T05:60Z", "2026-11-20T05", "2026-11-20Tx", "2026-11-20T05:10:00+xx", "26-11-20",
    "20261", "32 Nov 2026", "20 Nov", "Nov 2026 05:10", "20 Nov 2026 05:10 06:10", "20 21 Nov 2026",
    "20 Nov 2026 5", "0 Jan 2026", "20 Nov 2026 05:10:00 +99999", "-1-01-01", "٢٠٢٦-١١-٢٠",
    "99999999999999999999 Nov 99999999999999999999", "2026-11-20T05:10:1e9Z", ":", "+",
    "Nov Nov 1 2",
  ])
  func `what is no date is nil`(_ text: String) {
    #expect(FeedDate.parse(text) == nil)
  }

  @Test func `every day of four centuries is the day after the one before`() {
    var expected = -11_676_096_000.0
    for year in 1600..<2000 {
      for (month, length) in [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31].enumerated() {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        for day in 1...(month == 1 && isLeap ? 29 : length) {
          let moment = CalendarMoment(year: year, month: month + 1, day: day)
          guard moment.date == .unix(expected) else {
            Issue.record("\(moment) is \(String(describing: moment.date))")
            return
          }
          expected += 86_400
        }
      }
    }
    #expect(expected == 946_684_800)
  }
}
