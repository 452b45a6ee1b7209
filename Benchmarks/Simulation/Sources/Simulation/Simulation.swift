import CSimulation
import Foundation

/// Runs worlds of one kind.
struct Simulation {
  private let kind: World.Type

  init(_ kind: World.Type) { self.kind = kind }

  /// What a world left behind.
  struct Run {
    var world: World
    /// A hash of everything that happened, in its order.
    var hash: UInt64
    var steps: UInt64
    var time: Nanoseconds
  }

  /// Runs the world of a seed. Of four, one lets what is ready run in order, one out of order, and
  /// two mixed; every second one changes threads at locks.
  func run(seed: UInt64, tells: Bool = false, omitting omitted: Set<Int> = []) -> Run {
    sim_set_preemption(seed % 2 == 0 ? 0 : 8)
    sim_begin(seed, seed % 4 == 3 ? 1 : seed % 4 == 2 ? 2 : 0)
    let world = kind.init(seed: seed, tells: tells, omitting: omitted)
    world.play()
    let run = Run(world: world, hash: sim_hash(), steps: sim_steps(), time: sim_now())
    sim_end()
    return run
  }

  /// What the library makes once is made before the first world.
  func warmUp() {
    let fault = sim_planted_fault()
    sim_plant(0)
    for seed in 0..<4 { _ = run(seed: 999_999_000 + UInt64(seed)) }
    sim_plant(fault)
  }
}

extension Simulation {
  /// Runs worlds, and tells the first failures.
  ///
  /// - Returns: Whether every promise was kept.
  func run(count: UInt64, from first: UInt64) -> Bool {
    let start = processorTime()
    var (steps, time, failures) = (UInt64(0), Nanoseconds(0), 0)
    for seed in first..<first + count {
      let run = run(seed: seed)
      steps += run.steps
      time += run.time
      guard let violation = run.world.violations.first else { continue }
      failures += 1
      if failures <= 20 {
        print("seed \(seed): \(violation.invariant.rawValue): \(violation.detail)")
      }
    }
    let taken = processorTime() - start
    let hours = Double(time) / Double(3600 * second) / taken
    print(
      """
      \(count) worlds, \(failures) with violations; \(steps) steps in \(format(taken)) s of \
      processor time: \(format(Double(count) / taken)) worlds a second, \(format(hours)) simulated \
      hours a second
      """)
    return failures == 0
  }

  /// Runs worlds twice, which have to be the same.
  func compare(count: UInt64, from first: UInt64) -> Bool {
    var differences = 0
    for seed in first..<first + count {
      let (one, other) = (run(seed: seed), run(seed: seed))
      guard one.hash != other.hash || one.steps != other.steps else { continue }
      differences += 1
      if differences <= 10 { print("seed \(seed) took \(one.steps) and \(other.steps) steps") }
    }
    print("\(count) seeds twice: \(differences) differ")
    return differences == 0
  }

  /// Prints what another process has to come to as well.
  func printHashes(count: UInt64, from first: UInt64) {
    for seed in first..<first + count { print(seed, run(seed: seed).hash) }
  }

  /// Looks for a planted fault, and prints the rest of a row of a table: the seed that finds it, the
  /// seconds of processor time, and the promise that it breaks.
  ///
  /// - Returns: Whether it was found within so many seconds of processor time.
  func find(fault: Int32, within limit: Double) -> Bool {
    sim_plant(fault)
    let start = processorTime()
    var seed: UInt64 = 0
    while processorTime() - start < limit {
      seed += 1
      guard let violation = run(seed: seed).world.violations.first, holds(without: fault, seed)
      else { continue }
      print("| \(seed) | \(format(processorTime() - start)) | \(violation.invariant.rawValue) |")
      return true
    }
    print("| | \(format(processorTime() - start)) | NOT FOUND in \(seed) worlds |")
    return false
  }

  /// Whether a world keeps its promises without a fault, so that the fault is what breaks them.
  private func holds(without fault: Int32, _ seed: UInt64) -> Bool {
    sim_plant(0)
    defer { sim_plant(fault) }
    return run(seed: seed).world.violations.isEmpty
  }
}

// MARK: - Stories

extension Simulation {
  /// Tells a world in words; of one that breaks a promise the shortest that still breaks it, up to
  /// the moment at which it does.
  func show(seed: UInt64) {
    let whole = run(seed: seed)
    guard let invariant = whole.world.violations.first?.invariant else {
      for line in run(seed: seed, tells: true).world.story { print(line) }
      print("seed \(seed): \(whole.steps) steps in \(whole.time / second) s, no promise is broken")
      return
    }
    let omitted = shrink(seed, whole, invariant)
    let world = run(seed: seed, tells: true, omitting: omitted).world
    print("The world of seed \(seed) breaks the promise that \(invariant.rawValue).")
    let count = whole.world.planned - omitted.count
    print("\(count) of the \(whole.world.planned) events from outside are enough:")
    for line in world.story {
      print(line)
      if line.contains("VIOLATED: \(invariant.rawValue)") { return }
    }
  }

  /// Leaves out as many events as it can without losing the violation: halves, quarters, and so on
  /// down to single ones.
  private func shrink(_ seed: UInt64, _ whole: Run, _ invariant: Invariant) -> Set<Int> {
    var omitted: Set<Int> = []
    var size = max(1, whole.world.planned / 2)
    while true {
      var isShorter = false
      for first in stride(from: 1, through: whole.world.planned, by: size) {
        let more = omitted.union(first..<min(first + size, whole.world.planned + 1))
        guard more.count > omitted.count else { continue }
        let run = run(seed: seed, omitting: more)
        guard run.world.violations.contains(where: { $0.invariant == invariant }) else { continue }
        omitted = more
        isShorter = true
      }
      if size > 1 { size /= 2 } else if !isShorter { return omitted }
    }
  }
}

private func format(_ number: Double) -> String {
  number < 100 ? String(format: "%.1f", number) : String(format: "%.0f", number)
}

private func processorTime() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
