import ResourceTesting
import Testing

@testable import ResourceInspector

struct LatencyHistogramTests {
  @Test func `an empty histogram has no percentile`() {
    #expect(LatencyHistogram().percentile(0.5) == nil)
  }

  @Test func `short durations are counted exactly`() {
    var histogram = LatencyHistogram()
    for microseconds in 1...10 { histogram.add(.microseconds(microseconds)) }

    #expect(histogram.percentile(0.5) == .microseconds(5))
    #expect(histogram.percentile(0.9) == .microseconds(9))
    #expect(histogram.percentile(1) == .microseconds(10))
    #expect(histogram.percentile(0) == .microseconds(1))
  }

  @Test func `a percentile is never too low, and at most a sixteenth too high`() {
    var generator = SeededGenerator(seed: 7)
    var (histogram, durations) = (LatencyHistogram(), [Duration]())
    for _ in 0..<5000 {
      let bits = Int.random(in: 0...39, using: &generator)
      let duration = Duration.microseconds(Int64.random(in: 0..<(1 << bits), using: &generator))
      durations.append(duration)
      histogram.add(duration)
    }
    durations.sort()

    for share in [0.01, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 1] {
      let exact = durations[Int((5000 * share).rounded(.up)) - 1]
      let found = histogram.percentile(share) ?? .zero
      #expect(found >= exact)
      #expect(found - exact <= exact / 16)
    }
    #expect(histogram.count == 5000)
    #expect(histogram.maximum == durations.last)
  }

  @Test func `durations beyond the ranges count as the longest`() {
    var histogram = LatencyHistogram()
    histogram.add(.seconds(-1))
    histogram.add(.seconds(Int64.max))

    #expect(histogram.percentile(0.5) == .zero)
    #expect(histogram.count == 2)
    #expect(histogram.percentile(1) ?? .zero > .seconds(1_000_000))
  }
}
