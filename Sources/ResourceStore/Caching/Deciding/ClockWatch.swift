internal import Foundation
internal import ResourceLoading

/// Notices when the system's date is set back: ages that are counted by it are too small from then on.
struct ClockWatch: Sendable {
  private var last: Next.Moment?
  /// How far the date had come when it was set back; after several times, the furthest.
  private(set) var setBackFrom: Date?

  /// Takes note of the present moment.
  mutating func note(_ moment: Next.Moment) {
    defer { last = moment }
    // Several clients may share a cache, and their clocks may have begun at different times.
    guard let last, moment.uptime >= last.uptime else { return }
    let expected = last.date.addingTimeInterval((moment.uptime - last.uptime) / .seconds(1))
    guard expected.since(moment.date) > .seconds(1) else { return }
    setBackFrom = max(setBackFrom ?? expected, expected)
  }
}
