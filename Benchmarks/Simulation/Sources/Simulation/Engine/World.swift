import CSimulation

/// Something that happens to a world from outside, in words.
typealias Step = (number: Int, words: String)

/// One run of the library under one seed.
///
/// One thread at a time runs a world, so that neither it nor what belongs to it needs a lock.
class World: @unchecked Sendable {
  let seed: UInt64
  /// Whether the world is told in words.
  private let tells: Bool
  /// The steps that are left out, to find those that a violation needs.
  private let omitted: Set<Int>

  private(set) var violations: [(invariant: Invariant, detail: String)] = []
  private(set) var story: [String] = []
  /// The steps that were planned, those left out included.
  private(set) var planned = 0

  required init(seed: UInt64, tells: Bool, omitting omitted: Set<Int>) {
    (self.seed, self.tells, self.omitted) = (seed, tells, omitted)
  }

  /// Runs the world from its beginning to its end.
  func play() {}

  func violate(_ invariant: Invariant, _ detail: @autoclosure () -> String) {
    if violations.count < 5 { violations.append((invariant, detail())) }
    note("VIOLATED: \(invariant.rawValue): \(detail())")
  }

  func note(_ text: @autoclosure () -> String) {
    guard tells else { return }
    let time = String(sim_now() / microsecond)
    let pad = String(repeating: " ", count: max(0, 10 - time.count))
    story.append("\(pad)\(time) µs  \(text())")
  }
}

extension World {
  /// Plans something that happens from outside at a moment, unless this step is left out.
  func plan(at time: Nanoseconds, _ body: @escaping () -> Void) {
    planned += 1
    guard !omitted.contains(planned) else { return }
    after(max(0, time - sim_now()), body)
  }

  private static var longest: UInt64 { 100_000 }

  /// Runs until nothing is left to do.
  func run() {
    let end = sim_steps() + Self.longest
    while sim_step() != 0 {
      guard sim_steps() <= end else { return violate(.comesToRest, "it took \(end) steps") }
    }
  }

  /// Runs until a time, or until nothing is left to do.
  func run(until time: Nanoseconds, or isDone: () -> Bool = { false }) {
    var isTime = false
    after(max(0, time - sim_now())) { isTime = true }
    let end = sim_steps() + Self.longest
    while !isTime, !isDone(), sim_step() != 0 {
      guard sim_steps() <= end else { return violate(.comesToRest, "it took \(end) steps") }
    }
  }
}

/// A value that a world's tasks share.
final class Shared<Value>: @unchecked Sendable {
  var value: Value

  init(_ value: Value) { self.value = value }
}
