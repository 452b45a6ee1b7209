import PromiseModule
import Synchronization
import TestSupport
import Testing

/// Eight threads that use the same promises in every way at once, for values of every layout.
@Suite(.inTurn, .serialized, .timeLimit(.minutes(10))) struct StormTests {
  #if DEBUG
    static let rounds = 60
  #else
    static let rounds = 2_000
  #endif

  struct Bytes<Part: Sendable & Equatable>: Sendable, Equatable {
    let parts: (Part, Part, Part, Part)

    init(_ part: Part) { parts = (part, part, part, part) }
    static func == (left: Bytes, right: Bytes) -> Bool { left.parts == right.parts }
  }

  struct Counted: Sendable {
    let citizen: Census.Citizen
    let number: Int
  }

  @Test func `values of no size`() { storm({ _ in true }, { _ in }) }
  @Test func `values of one byte`() { storm({ $0 == 0xA5 }, { _ in UInt8(0xA5) }) }
  @Test func `values of eight bytes`() { storm({ $0 == -7 }, { _ in Int(-7) }) }
  @Test func `values of sixteen bytes`() {
    storm({ $0 == Bytes(Int32(7)) }, { _ in Bytes(Int32(7)) })
  }
  @Test func `values of 32 bytes`() { storm({ $0 == Bytes(Int(7)) }, { _ in Bytes(Int(7)) }) }
  @Test func `values of 64 bytes`() {
    storm({ $0 == Bytes(Bytes(Int32(7))) }, { _ in Bytes(Bytes(Int32(7))) })
  }
  @Test func `values with a strict alignment`() {
    storm({ $0 == SIMD16<Float>(repeating: 7) }, { _ in SIMD16<Float>(repeating: 7) })
  }
  @Test func `strings`() {
    let text = String(repeating: "long ", count: 9)
    storm({ $0 == text }, { _ in String(repeating: "long ", count: 9) })
  }
  @Test func `objects`() {
    storm({ _ in true }, { census in census.makeCitizen() })
  }
  @Test func `values that hold objects`() {
    storm(
      { $0.first?.number == 7 },
      { census in [Counted(citizen: census.makeCitizen(), number: 7)] })
  }
  @Test func `existentials`() {
    storm(
      { ($0 as? Counted)?.number == 7 },
      { census -> any Sendable in Counted(citizen: census.makeCitizen(), number: 7) })
  }
  @Test func `closures`() {
    storm(
      { $0() == 7 },
      { census -> @Sendable () -> Int in
        let citizen = census.makeCitizen()
        return { withExtendedLifetime(citizen) { 7 } }
      })
  }

  private func storm<Value: Sendable>(
    _ isRight: @escaping @Sendable (Value) -> Bool,
    _ make: @escaping @Sendable (Census) -> Value
  ) {
    let census = Census()
    let wrong = Atomic(0)
    let check: @Sendable (Result<Value, any Error>) -> Void = { result in
      if case .success(let value) = result, !isRight(value) { wrong.add(1, ordering: .relaxed) }
    }
    for round in 0..<Self.rounds {
      // A thread may keep its closure for a moment after the work in it is done.
      let shared = Mutex<(promise: Promise<Value>, resolver: Promise<Value>.Resolver)?>(
        Promise<Value>.pending())
      threads(8) { thread in
        guard let (promise, resolver) = shared.withLock({ $0 }) else { return }
        for step in 0..<12 {
          switch (thread + step + round) % 12 {
          case 0: resolver.fulfill(make(census))
          case 1: promise.observe(on: .inline, check)
          case 2: promise.map(on: .inline) { $0 }.observe(on: .inline, check)
          case 3: promise.then(on: .inline) { .fulfilled($0) }.cancel()
          case 4: if let result = promise.result { check(result) }
          case 5: promise.reportingUnobserved { _ in }
          case 6: Promise.race(promise, promise.shielded()).observe(on: .inline, check)
          case 7: promise.finally(on: .inline) {}.cancel()
          case 8:
            Promise.all([promise, promise]).map(on: .inline) { $0[0] }.observe(on: .inline, check)
          case 9: resolver.onCancel {}
          case 10: Promise { $0.resolve(with: promise) }.observe(on: .inline, check)
          default: promise.recover(on: .inline) { _ in make(census) }.observe(on: .inline, check)
          }
        }
      }
      let pair = shared.withLock { $0.take() }
      pair?.resolver.fulfill(make(census))
    }

    #expect(wrong.load(ordering: .relaxed) == 0)
    #expect(census.living == 0)
  }
}
