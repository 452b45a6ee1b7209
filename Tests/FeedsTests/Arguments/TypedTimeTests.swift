import Foundation
import TestSupport
import Testing

@testable import feeds

@Suite(.inTurn)
struct TypedTimeTests {
  private let now = Date.unix(1_795_262_400)  // 2026-11-21T12:00:00Z

  @Test(arguments: [
    ("30m", 1_795_260_600), ("12h", 1_795_219_200), ("7d", 1_794_657_600), ("2w", 1_794_052_800),
    ("2026-11-20T18:00Z", 1_795_197_600), ("2026-11-20T18:00:00+01:00", 1_795_194_000),
  ])
  func `times ago and moments have equal beginning and end`(_ text: String, _ time: Double) throws {
    let utc = try #require(TimeZone(identifier: "UTC"))
    let moment = try #require(DateInterval(typed: text, now: now, in: utc))

    #expect(moment.start == .unix(time))
    #expect(moment.end == .unix(time))
  }

  @Test(arguments: [
    ("UTC", 1_795_132_800, 1_795_219_200), ("Asia/Tokyo", 1_795_100_400, 1_795_186_800),
  ])
  func `a day begins and ends in local time`(
    _ zone: String, _ beginning: Double, _ end: Double
  ) throws {
    let zone = try #require(TimeZone(identifier: zone))
    let day = try #require(DateInterval(typed: "2026-11-20", now: now, in: zone))

    #expect(day.start == .unix(beginning))
    #expect(day.end == .unix(end))
  }

  @Test func `a day on which clocks change has another length`() throws {
    let berlin = try #require(TimeZone(identifier: "Europe/Berlin"))

    let day = try #require(DateInterval(typed: "2026-10-25", now: now, in: berlin))

    #expect(day.duration == 25 * 3600)
  }

  @Test(arguments: [
    "", "d", "7", "7y", "-7d", "2026-02-30", "2026-13-01", "2026-11", "tomorrow", "9999999d",
    "2026-11-20T25:00Z", "2026-11-20 10:00", "x-2026-11-20", "2026-11-20-1", "20/11/2026",
  ])
  func `other texts are no point in time`(_ text: String) {
    #expect(DateInterval(typed: text, now: now) == nil)
  }
}
