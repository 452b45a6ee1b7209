import Foundation
import ResourceXML
import TestSupport
import Testing

@Suite(.inTurn)
struct CalendarMomentTests {
  @Test func `every day of four centuries is the day after the one before`() {
    var expected = -11_676_096_000.0
    for year in 1600..<2000 {
      for (month, length) in [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31].enumerated() {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        for day in 1...(month == 1 && isLeap ? 29 : length) {
          let moment = CalendarMoment(year: year, month: month + 1, day: day)
          guard moment.date == Date(timeIntervalSince1970: expected) else {
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
