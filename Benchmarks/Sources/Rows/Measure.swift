/// What is read off the machine; the raw values are the names in the exported results.
public enum Measure: String, Sendable {
  /// Nanoseconds that the process kept processors busy, in the kernel too. What else runs on the
  /// machine hardly changes it.
  case processorTime = "Processor time (ns)"
  /// Nanoseconds that went by. The only fair one where threads wait for each other, and the one
  /// that varies most.
  case wallClock = "Time (ns)"
  /// Nanoseconds that went by until 99 of 100 were done.
  case tail = "99th percentile (ns)"
  /// Bytes of memory that were in use at one time.
  case bytes = "Bytes"
  /// Blocks of memory that were allocated.
  case allocations = "Allocations"
  /// How often an executor was given something to run.
  case hops = "Hops"
}

extension Measure {
  /// What the figures of the table are, for one operation.
  public var unit: String {
    switch self {
    case .processorTime: "CPU ns"
    case .wallClock: "ns"
    case .tail: "p99 ns"
    case .bytes: "bytes"
    case .allocations: "allocations"
    case .hops: "hops"
    }
  }

  /// Whether it is counted, and not timed: then few rounds do.
  public var isCounted: Bool {
    switch self {
    case .bytes, .allocations, .hops: true
    case .processorTime, .wallClock, .tail: false
    }
  }
}
