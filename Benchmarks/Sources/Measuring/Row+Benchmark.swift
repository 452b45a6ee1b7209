import Benchmark
import Rows

extension Row {
  /// Registers a subject's way of doing the work of this row.
  ///
  /// - Parameter body: Does it as often as it is told.
  public func register(_ subject: Subject, _ body: @escaping @Sendable (Int) -> Void) {
    Benchmark("\(name)/\(subject.rawValue)", configuration: configuration) { benchmark in
      let start = ProcessorTime.now
      body(operations)
      benchmark.measurement(.processorTime, ProcessorTime.now - start)
    }
  }

  /// Registers a subject's way of doing the work of this row, asynchronously.
  ///
  /// - Parameter body: Does it as often as it is told.
  public func registerAsync(_ subject: Subject, _ body: @escaping @Sendable (Int) async -> Void) {
    Benchmark("\(name)/\(subject.rawValue)", configuration: configuration) { benchmark in
      let start = ProcessorTime.now
      await body(operations)
      benchmark.measurement(.processorTime, ProcessorTime.now - start)
    }
  }

  /// Registers a subject's way of doing the work of this row, with things that are made before the
  /// measurement begins and freed after it ends.
  public func register<Things>(
    _ subject: Subject, given prepare: @escaping @Sendable () -> Things,
    _ body: @escaping @Sendable (Int, Things) -> Void
  ) {
    Benchmark("\(name)/\(subject.rawValue)", configuration: configuration) { benchmark in
      let things = prepare()
      benchmark.startMeasurement()
      let start = ProcessorTime.now
      body(operations, things)
      let end = ProcessorTime.now
      benchmark.stopMeasurement()
      benchmark.measurement(.processorTime, end - start)
      withExtendedLifetime(things) {}
    }
  }

  /// Registers a goal in nanoseconds of processor time for each operation, as if somebody needed that much.
  public func registerAllowed(nanoseconds: Int) {
    Benchmark("\(name)/\(Subject.allowed.rawValue)", configuration: configuration) { benchmark in
      benchmark.measurement(.processorTime, nanoseconds * operations)
    }
  }

  /// Registers what a subject's way of doing the work of this row uses up, where that is counted.
  ///
  /// - Parameter body: Does it as often as it is told, and returns the count.
  public func registerCount(_ subject: Subject, _ body: @escaping @Sendable (Int) -> Int) {
    Benchmark("\(name)/\(subject.rawValue)", configuration: countConfiguration) { benchmark in
      benchmark.measurement(.counted(measure), body(operations))
    }
  }
}
