import CSimulation
import PromiseModule

/// Promises that are combined at random and resolved in any order, beside a model of each: the
/// outcome that its operations make of the outcomes of their inputs.
final class PromisesWorld: World, @unchecked Sendable {
  struct Failure: Error, Equatable {
    var number: Int
  }

  /// What a promise may become: one of these, of which most have one.
  private enum Outcome: Hashable, CustomStringConvertible {
    case value(Int)
    case failure(Int)
    /// All inputs of `any` have failed.
    case allFailed
    case cancelled
    case unknown(String)

    var description: String {
      switch self {
      case .value(let value): "\(value)"
      case .failure(let number): "failure \(number)"
      case .allFailed: "all failed"
      case .cancelled: "cancelled"
      case .unknown(let words): words
      }
    }
  }

  private struct Made {
    var promise: Promise<Int>
    var outcomes: Set<Outcome>
    /// The promises that it depends on, and itself.
    var sources: Set<Int>
  }

  /// Whether promises are cancelled here: from outside, and by a combination that has its outcome,
  /// unless they are shielded. Anything may end so then.
  private let cancels = chance(400)
  /// Whether all promises have an observer from the beginning, so that none is cancelled for want
  /// of interest.
  private lazy var areWanted = cancels && chance(500)
  /// Those that are cancelled from outside.
  private var cancelled: Set<Int> = []

  private var made: [Made] = []
  private var observers: [(promise: Int, calls: Shared<Int>)] = []
  private var alive: [() -> Bool] = []

  override func play() {
    for _ in 0..<(3 + pick(6)) { makeInput() }
    for _ in 0..<(5 + pick(30)) { combine() }
    if areWanted { for number in made.indices { observe(number, 0) } }
    // Observers come before, between and after the outcomes.
    for number in made.indices {
      for _ in 0..<(1 + pick(2)) {
        plan(at: moment(below: 2 * second)) { [self] in observe(number) }
      }
    }
    if cancels {
      for _ in 0..<pick(6) {
        let number = pick(made.count)
        let promise = made[number].promise
        cancelled.insert(number)
        plan(at: moment(below: second)) { promise.cancel() }
      }
    }
    run()
    for (number, calls) in observers where calls.value != 1 {
      violate(.observedOnce, "an observer of promise \(number) was called \(calls.value) times")
    }
    (made, observers) = ([], [])
    run()
    if alive.contains(where: { $0() }) { violate(.nothingLives, "a promise") }
  }
}

// MARK: - Making

extension PromisesWorld {
  private func keep(
    _ promise: Promise<Int>, _ outcomes: Set<Outcome>, _ words: String, from inputs: [Made] = []
  ) {
    note("promise \(made.count) is \(words): \(outcomes)")
    alive.append { [weak promise] in promise != nil }
    let sources = inputs.reduce(into: Set([made.count])) { $0.formUnion($1.sources) }
    made.append(Made(promise: promise, outcomes: outcomes, sources: sources))
  }

  /// A promise that is resolved from outside.
  private func makeInput() {
    let number = made.count
    let (promise, resolver) = Promise<Int>.pending()
    let succeeds = chance(700)
    keep(promise, [succeeds ? .value(number) : .failure(number)], "an input")
    let time = moment(below: second)
    after(time) { [self] in
      note("input \(number) is \(succeeds ? "fulfilled" : "rejected")")
      if succeeds { resolver.fulfill(number) } else { resolver.reject(Failure(number: number)) }
      // The first counts.
      resolver.fulfill(-1)
    }
  }

  private func combine() {
    let (one, other) = (pick(of: made), pick(of: made))
    let number = made.count
    let both = [one.promise, other.promise].map { cancels ? $0 : $0.shielded() }
    switch pick(10) {
    case 0:
      keep(
        one.promise.map { $0 + 100 },
        mapped(one.outcomes) { .value($0 + 100) }, "map", from: [one])
    case 1:
      let throwing = chance(500)
      keep(
        one.promise.map { if throwing { throw Failure(number: number) } else { return $0 } },
        mapped(one.outcomes) { throwing ? .failure(number) : .value($0) }, "a map that may throw",
        from: [one])
    case 2:
      let next = other.promise
      keep(
        one.promise.then { _ in next },
        one.outcomes.reduce(into: []) { all, outcome in
          if case .value = outcome { all.formUnion(other.outcomes) } else { all.insert(outcome) }
        }, "then", from: [one, other])
    case 3:
      keep(
        one.promise.recover { error in
          guard let failure = error as? Failure else { throw error }
          return failure.number
        },
        Set(one.outcomes.map { if case .failure(let number) = $0 { .value(number) } else { $0 } }),
        "recover", from: [one])
    case 4:
      keep(
        Promise<[Int]>.all(both).map { $0[0] * 7 + $0[1] },
        joined(one.outcomes, other.outcomes), "all", from: [one, other])
    case 5:
      keep(Promise.race(both), one.outcomes.union(other.outcomes), "race", from: [one, other])
    case 6: keep(Promise.any(both), either(one, other), "any", from: [one, other])
    case 7: keep(one.promise.shielded(), one.outcomes, "shielded", from: [one])
    case 8:
      let (promise, resolver) = Promise<Int>.pending()
      resolver.resolve(with: one.promise)
      // It follows that one from now on.
      resolver.fulfill(-1)
      resolver.reject(Failure(number: -1))
      keep(promise, one.outcomes, "a follower", from: [one])
    default:
      let delay = Duration.milliseconds(pick(300))
      keep(
        one.promise.then { value in
          Promise<Void>.delay(for: delay, clock: SimulatedClock()).map { value }
        }, one.outcomes, "delayed", from: [one])
    }
  }

  private func mapped(
    _ outcomes: Set<Outcome>, _ body: (Int) -> Outcome
  ) -> Set<Outcome> {
    Set(outcomes.map { if case .value(let value) = $0 { body(value) } else { $0 } })
  }

  private func joined(_ ones: Set<Outcome>, _ others: Set<Outcome>) -> Set<Outcome> {
    var all: Set<Outcome> = []
    for one in ones {
      for other in others {
        switch (one, other) {
        case (.value(let one), .value(let other)): all.insert(.value(one * 7 + other))
        case (.value, _): all.insert(other)
        case (_, .value): all.insert(one)
        // The first failure counts.
        default: all.formUnion([one, other])
        }
      }
    }
    return all
  }

  private func either(_ one: Made, _ other: Made) -> Set<Outcome> {
    let all = one.outcomes.union(other.outcomes)
    let values = all.filter { if case .value = $0 { true } else { false } }
    let canFail = [one, other].allSatisfy { made in
      made.outcomes.contains { if case .value = $0 { false } else { true } }
    }
    return canFail ? values.union([.allFailed]) : values
  }
}

// MARK: - Observing

extension PromisesWorld {
  private func observe(_ number: Int, _ kind: Int = pick(4)) {
    let calls = Shared(0)
    observers.append((number, calls))
    let promise = made[number].promise
    let (outcomes, sources) = (made[number].outcomes, made[number].sources)
    let body: @Sendable (Result<Int, any Error>) -> Void = { [self] result in
      calls.value += 1
      let outcome: Outcome =
        switch result {
        case .success(let value): .value(value)
        case .failure(let failure as Failure): .failure(failure.number)
        case .failure(is AggregateError): .allFailed
        case .failure(is CancellationError): .cancelled
        case .failure(let error): .unknown("\(error)")
        }
      note("promise \(number) has become \(outcome)")
      let mayEnd = areWanted ? !cancelled.isDisjoint(with: sources) : cancels
      let mayBe = mayEnd ? outcomes.union([.cancelled, .allFailed]) : outcomes
      if !mayBe.contains(outcome) {
        violate(.followsModel, "promise \(number) has become \(outcome), which isn't in \(mayBe)")
      }
      if (promise.result.map { _ in true }) != true {
        violate(.followsModel, "promise \(number) has no result when its observer is called")
      }
    }
    switch kind {
    case 0: promise.observe(on: .inline, body)
    case 1: promise.observe(on: .default, body)
    case 2: promise.observe(on: .main) { body($0) }
    default:
      Task {
        do { body(.success(try await promise.value)) } catch { body(.failure(error)) }
      }
    }
  }
}
