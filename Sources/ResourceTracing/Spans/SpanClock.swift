import Foundation
import ResourceLoading
import ResourcePrimitives
import Synchronization

/// Converts the times of loads' clocks to dates. A later time has a later date, even if the
/// system's date is corrected in between.
final class SpanClock: Sendable {
  /// The date of the clock's time zero.
  private let epoch = Mutex<Date?>(nil)

  struct Dates: Sendable {
    fileprivate let clock: LoadClock
    fileprivate let epoch: Date
    let start: Date

    var now: Date { epoch.addingTimeInterval(clock.now().seconds) }
  }

  /// Returns the dates of a span that begins now. They are adjusted if they differ from the
  /// system's by a second or more.
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
