import Benchmark
import Rows

extension Row {
  /// Registers a subject's way of doing the work of this row, asynchronously, with things that are made before
  /// the measurement begins and freed after it ends.
  public func registerAsync<Things: Sendable>(
    _ subject: Subject, given prepare: @escaping @Sendable () async -> Things,
    _ body: @escaping @Sendable (Int, Things) async -> Void
  ) {
    Benchmark("\(name)/\(subject.rawValue)", configuration: configuration) { benchmark in
      let things = await prepare()
      benchmark.startMeasurement()
      let start = ProcessorTime.now
      await body(operations, things)
      let end = ProcessorTime.now
      benchmark.stopMeasurement()
      benchmark.measurement(.processorTime, end - start)
      withExtendedLifetime(things) {}
    }
  }

  /// Registers a subject's way of doing the work of this row, where a figure of its own is read off it.
  ///
  /// - Parameter body: Does it, and returns the figure.
  public func registerTail(_ subject: Subject, _ body: @escaping @Sendable () async -> Int) {
    Benchmark("\(name)/\(subject.rawValue)", configuration: tailConfiguration) { benchmark in
      benchmark.measurement(.counted(measure), await body())
    }
  }
}
