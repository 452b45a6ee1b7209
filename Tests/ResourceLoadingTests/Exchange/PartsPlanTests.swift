import ResourcePrimitives
import ResourceTesting
import Testing

@testable import ResourceLoading

/// Which parts are requested, and how many at a time.
struct PartsPlanTests {
  @Test(arguments: 0..<50 as Range<UInt64>)
  func `ranges that are added in any order are the bytes that were added`(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var (ranges, bytes) = (ByteRanges(), Set<Int>())

    for _ in 0..<30 {
      let first = Int.random(in: 0..<200, using: &random)
      let range = first..<first + Int.random(in: 0..<20, using: &random)
      ranges.insert(range)
      bytes.formUnion(range)

      #expect(ranges.count == bytes.count)
      #expect(ranges.ranges.allSatisfy { $0.allSatisfy(bytes.contains) })
      #expect(
        zip(ranges.ranges, ranges.ranges.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound })
      #expect(ranges.frontier == (0...300).first { !bytes.contains($0) })
      let gap = ranges.firstGap(below: 250)
      #expect(gap?.lowerBound == ranges.frontier)
      #expect(gap?.allSatisfy { !bytes.contains($0) } == true)
    }
  }

  /// Connections of a rate each, and of one for all together, on a clock of their own.
  private struct Network {
    var perConnection: Double
    var inAll = Double.infinity

    /// Lets a plan run to its end.
    ///
    /// - Returns: The time that it took, and the width at its end.
    func run(_ plan: inout PartsPlan) -> (time: Duration, width: Int, requests: Int) {
      var (now, running, requests) = (Duration.zero, [Int: PartsPlan.Part](), 0)
      let step = Duration.milliseconds(10)
      while !plan.isComplete, now < .seconds(10_000) {
        while let part = plan.next(at: now) {
          running[part.slot] = part
          requests += 1
          _ = plan.send(part.slot, at: now)
        }
        now += step
        let rate = min(perConnection, inAll / Double(running.count))
        for (slot, part) in running {
          let count = min(Int(rate * step.seconds), part.range.upperBound - part.position)
          plan.write(count, for: slot, at: now)
          running[slot]?.position += count
          guard part.position + count == part.range.upperBound else { continue }
          plan.end(slot, at: now)
          running[slot] = nil
        }
      }
      return (now, plan.width, requests)
    }
  }

  @Test func `a fixed number of parts ends together, in an eighth of the time`() {
    var one = PartsPlan(size: 2_000_000_000, parts: 1, hostLimit: 16)
    var eight = PartsPlan(size: 2_000_000_000, parts: 8, hostLimit: 16)
    let network = Network(perConnection: 20e6)

    let (slow, fast) = (network.run(&one), network.run(&eight))

    #expect(one.isComplete && eight.isComplete)
    #expect(slow.time.seconds / fast.time.seconds > 7.5)
    #expect(fast.requests < 200)
  }

  @Test func `the number of parts grows as long as that is faster`() {
    var plan = PartsPlan(size: 4_000_000_000, parts: .automatic, hostLimit: 16)

    let result = Network(perConnection: 20e6).run(&plan)

    #expect(plan.isComplete)
    #expect(result.width == 8)
    #expect(result.time < .seconds(40))
  }

  @Test func `one part is used if several aren't faster`() {
    var plan = PartsPlan(size: 1_000_000_000, parts: .automatic, hostLimit: 16)

    let result = Network(perConnection: 20e6, inAll: 20e6).run(&plan)

    #expect(plan.isComplete)
    #expect(result.width == 1)
  }

  @Test func `as many parts are used as the whole network has room for`() {
    var plan = PartsPlan(size: 2_000_000_000, parts: .automatic, hostLimit: 16)

    let result = Network(perConnection: 20e6, inAll: 40e6).run(&plan)

    #expect(result.width == 2)
  }

  @Test(arguments: [(1, 1), (2, 1), (6, 3), (16, 8), (100, 8)])
  func `at most half of a host's limit is used without being asked for`(
    _ limit: Int, _ width: Int
  ) {
    var plan = PartsPlan(size: 4_000_000_000, parts: .automatic, hostLimit: limit)

    #expect(Network(perConnection: 20e6).run(&plan).width == width)
  }

  @Test func `no byte is requested twice, and what failed is requested again`() {
    var plan = PartsPlan(size: 10_000_000, parts: 3, hostLimit: nil)
    let first = plan.next(at: .zero)
    let second = plan.next(at: .zero)
    plan.write(100_000, for: 0, at: .seconds(1))

    let wait = plan.fail(0, at: .seconds(1))
    let again = plan.next(at: .seconds(1))

    #expect(first?.range == 0..<1 << 20)
    #expect(second?.range.lowerBound == first?.range.upperBound)
    #expect(wait == .zero)
    #expect(again?.range.lowerBound == 100_000)
    #expect(again?.range.upperBound == second?.range.lowerBound)
  }

  @Test func `parts that bring nothing are given up after four in a row`() {
    var plan = PartsPlan(size: 10_000_000, parts: 1, hostLimit: nil)
    var waits: [Duration?] = []

    for _ in 0..<4 {
      _ = plan.next(at: .zero)
      waits.append(plan.fail(0, at: .zero))
    }

    #expect(waits == [.milliseconds(100), .milliseconds(200), .milliseconds(400), nil])
  }

  @Test func `a server that serves fewer at a time gets fewer requests`() {
    var plan = PartsPlan(size: 100_000_000, parts: 4, hostLimit: nil)
    for _ in 0..<4 { _ = plan.next(at: .zero) }

    for slot in 1...3 { #expect(plan.fail(slot, at: .seconds(1)) == .zero) }

    #expect(plan.width == 1)
    #expect(plan.next(at: .seconds(1)) == nil)
    plan.end(0, at: .seconds(1))
    #expect(plan.next(at: .seconds(1)) != nil)
  }
}
