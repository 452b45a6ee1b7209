import Rows

/// What goes by between two moments: time, and time of processors.
struct Stopwatch {
  private let wallClock = ContinuousClock.now
  private let processorTime = ProcessorTime.now

  /// What went by since it was made.
  func stop() -> [Measure: Int] {
    let processorTime = ProcessorTime.now - processorTime
    let (seconds, attoseconds) = (ContinuousClock.now - wallClock).components
    return [
      .processorTime: processorTime,
      .wallClock: Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000),
    ]
  }
}
