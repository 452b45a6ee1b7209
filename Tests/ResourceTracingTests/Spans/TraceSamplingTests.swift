import ResourceTesting
import Testing

@testable import ResourceTracing

/// Which traces are recorded.
struct TraceSamplingTests {
  @Test(arguments: [0, 0.1, 0.5, 0.9, 1])
  func `the given share of random traces is recorded`(_ share: Double) {
    var random = SeededGenerator(seed: 25)
    let sampling = TraceSampling.ratio(share)

    let count = (0..<10_000).count { _ in
      sampling.isSampled(TraceID(using: &random), below: nil)
    }

    #expect(abs(Double(count) - share * 10_000) < 200)
    #expect(share > 0 && share < 1 || count == Int(share) * 10_000)
  }

  @Test func `a larger share records every trace that a smaller one records`() {
    var random = SeededGenerator(seed: 25)
    for _ in 0..<1000 {
      let id = TraceID(using: &random)
      guard TraceSampling.ratio(0.2).isSampled(id, below: nil) else { continue }

      #expect(TraceSampling.ratio(0.3).isSampled(id, below: nil))
    }
  }

  @Test func `the caller's decision is followed if the sampling says so`() {
    let yes = TraceContext.root(isSampled: true)
    let no = TraceContext.root(isSampled: false)

    #expect(TraceSampling.parent().isSampled(yes.traceID, below: yes))
    #expect(!TraceSampling.parent().isSampled(no.traceID, below: no))
    #expect(TraceSampling.parent().isSampled(no.traceID, below: nil))
    #expect(!TraceSampling.parent(or: .never).isSampled(no.traceID, below: nil))
    #expect(TraceSampling.always.isSampled(no.traceID, below: no))
    #expect(!TraceSampling.never.isSampled(yes.traceID, below: yes))
  }
}
