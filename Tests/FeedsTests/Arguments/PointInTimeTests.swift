import Foundation
import TestSupport
import Testing

@testable import feeds

@Suite(.inTurn)
struct PointInTimeTests {
  private let now = Date.unix(1_795_262_400)  // 2026-11-21T12:00:00Z

  @Test(arguments: [
    ("30m", 1_795_260_600), ("12h", 1_795_219_200), ("7d", 1_794_657_600), ("2w", 1_794_052_800),
    ("2026-11-20T18:00Z", 1_795_197_600), ("2026-11-20T18:00:00+01:00", 1_795_194_000),
  ])
  func `times ago and moments have equal beginning and end`(_ text: String, _ time: Double) throws {
    let utc = try #require(TimeZone(identifier: "UTC"))
    let moment = try #require(PointInTime(text))

    #expect(moment.beginning(now: now, in: utc) == .unix(time))
    #expect(moment.end(now: now, in: utc) == .unix(time))
  }

  @Test(arguments: [
    ("UTC", 1_795_132_800, 1_795_219_200), ("Asia/Tokyo", 1_795_100_400, 1_795_186_800),
  ])
  func `a day begins and ends in local time`(
    _ zone: String, _ beginning: Double, _ end: Double
  ) throws {
    let zone = try #require(TimeZone(identifier: zone))
    let day = try #require(PointInTime("2026-11-20"))

    #expect(day.beginning(now: now, in: zone) == .unix(beginning))
    #expect(day.end(now: now, in: zone) == .unix(end))
  }

  @Test func `a day on which clocks change has another length`() throws {
    let berlin = try #require(TimeZone(identifier: "Europe/Berlin"))
    let day = try #require(PointInTime("2026-10-25"))

    let length = day.end(now: now, in: berlin).timeIntervalSince(
      day.beginning(now: now, in: berlin))

    #expect(length == 25 * 3600)
  }

  @Test(arguments: [
    "", "d", "7", "7y", "-7d", "2026-02-30", "2026-13-01", "2026-11", "tomorrow", "9999999d",
    "2026-11-20T25:00Z",
  ])
  func `other texts are no point in time`(_ text: String) { #expect(PointInTime(text) == nil) }
}
