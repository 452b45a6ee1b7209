import Benchmark
import Foundation
import Rows

extension Row {
  /// Long enough for a stable median; in a quick run just long enough to see a row that went wrong.
  var configuration: Benchmark.Configuration {
    Benchmark.Configuration(
      // The export that keeps medians wants the throughput, too.
      metrics: [.throughput, .wallClock, .instructions, .processorTime],
      warmupIterations: 2,
      maxDuration: Self.isQuick ? .milliseconds(300) : .seconds(2),
      maxIterations: 2_000)
  }

  /// Counts hardly vary: few rounds do.
  var countConfiguration: Benchmark.Configuration {
    Benchmark.Configuration(
      metrics: [.throughput, .counted(measure)], warmupIterations: 1, maxDuration: .seconds(2),
      maxIterations: 3)
  }

  /// One round is a distribution of its own; more of them for a median.
  var tailConfiguration: Benchmark.Configuration {
    Benchmark.Configuration(
      metrics: [.throughput, .counted(measure)], warmupIterations: 1,
      maxDuration: Self.isQuick ? .seconds(2) : .seconds(10), maxIterations: 9)
  }

  private static let isQuick = ProcessInfo.processInfo.environment["BENCHMARK_QUICK"] != nil
}

extension BenchmarkMetric {
  /// Finer than the package's own, which counts in hundredths of a second.
  static let processorTime = BenchmarkMetric.custom(
    Measure.processorTime.rawValue, polarity: .prefersSmaller, useScalingFactor: false)

  /// What is counted outside of the package.
  static func counted(_ measure: Measure) -> BenchmarkMetric {
    .custom(measure.rawValue, polarity: .prefersSmaller, useScalingFactor: false)
  }
}
