import Foundation

/// The time for which this process has kept processors busy.
enum ProcessorTime {
  /// In nanoseconds.
  static var now: Int {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }
}
