import Foundation
import ResourceLoading
import ResourcePrimitives
import Synchronization

/// Converts the times of loads' clocks to dates. A later time has a later date, even if the
/// system's date is corrected meanwhile.
final class SpanClock: Sendable {
  /// The date of the clock's beginning.
  private let epoch = Mutex<Date?>(nil)

  /// The dates of one span.
  struct Dates: Sendable {
    fileprivate let clock: LoadClock
    fileprivate let epoch: Date
    /// The date at which it begins.
    let start: Date

    var now: Date { epoch.addingTimeInterval(clock.now().seconds) }
  }

  /// Returns the dates of a span that begins now. They are adjusted when they differ from the
  /// system's by a second.
  func dates(of clock: LoadClock) -> Dates {
    let time = clock.now().seconds
    let measured = clock.date().addingTimeInterval(-time)
    let epoch = epoch.withLock { epoch in
      if let epoch, abs(measured.timeIntervalSince(epoch)) < 1 { return epoch }
      epoch = measured
      return measured
    }
    return Dates(clock: clock, epoch: epoch, start: epoch.addingTimeInterval(time))
  }
}
