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
  /// The moments at which something was planned.
  private var moments: [Nanoseconds] = []

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
    let fraction = String(sim_now() % second / microsecond + 1_000_000).dropFirst()
    let time = "\(sim_now() / second).\(fraction)"
    let pad = String(repeating: " ", count: max(0, 12 - time.count))
    story.append("\(pad)\(time) s  \(text())")
  }
}

extension World {
  /// Plans something that happens from outside at a moment, unless this step is left out.
  func plan(at time: Nanoseconds, _ body: @escaping () -> Void) {
    planned += 1
    guard !omitted.contains(planned) else { return }
    after(max(0, time - sim_now()), body)
  }

  /// Returns a moment below a limit, drawn from the seed: now and then one at which something else
  /// happens, too.
  func moment(below limit: Nanoseconds) -> Nanoseconds {
    if !moments.isEmpty, chance(250) {
      return min(pick(of: moments) + Nanoseconds(pick(300)) * microsecond, limit)
    }
    moments.append(Nanoseconds(pick(Int(limit / microsecond))) * microsecond)
    return moments[moments.count - 1]
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
