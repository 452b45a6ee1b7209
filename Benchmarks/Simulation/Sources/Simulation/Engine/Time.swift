import CSimulation
import Foundation

/// Nanoseconds of simulated time.
typealias Nanoseconds = Int64

let microsecond: Nanoseconds = 1_000
let millisecond: Nanoseconds = 1_000_000
let second: Nanoseconds = 1_000_000_000

private final class Event {
  let run: () -> Void

  init(_ run: @escaping () -> Void) { self.run = run }
}

private func retained(_ body: @escaping () -> Void) -> UnsafeMutableRawPointer {
  Unmanaged.passRetained(Event(body)).toOpaque()
}

private let runEvent: sim_fn = { event in
  if let event { Unmanaged<Event>.fromOpaque(event).takeRetainedValue().run() }
}

/// Runs a closure after some simulated time, as an event of the environment or of the current
/// process.
func after(_ delay: Nanoseconds, _ body: @escaping () -> Void) {
  sim_after(delay, runEvent, retained(body))
}

/// Runs a closure at a moment that the scheduler chooses.
func soon(_ body: @escaping () -> Void) { sim_soon(runEvent, retained(body)) }

/// Returns a number from 0 to below a bound, drawn from the seed.
func pick(_ bound: Int) -> Int { Int(sim_env(UInt64(bound))) }

/// Returns one of some values, drawn from the seed.
func pick<Value>(of values: [Value]) -> Value { values[pick(values.count)] }

/// Returns `true` with a probability in thousandths, drawn from the seed.
func chance(_ permille: Int) -> Bool { pick(1000) < permille }

/// Returns a duration with a long tail.
func latency(_ mean: Nanoseconds) -> Nanoseconds {
  let fraction = Double(pick(1_000_000) + 1) / 1_000_001
  return Nanoseconds(-log(fraction) * Double(mean)) + 50 * microsecond
}

/// Waits for some time, and goes on where it was called. `Task.yield()` and `sleep(for:)` of a clock
/// change executors more often in a debug build than in a release build.
func rest(for time: Nanoseconds, on isolation: isolated (any Actor)? = #isolation) async {
  await withUnsafeContinuation { continuation in after(time) { continuation.resume() } }
}

/// The simulated time.
struct SimulatedClock: Clock {
  struct Instant: InstantProtocol {
    var time: Nanoseconds

    func advanced(by duration: Duration) -> Instant {
      let (seconds, attoseconds) = duration.components
      guard seconds < 9_000_000_000 else { return Instant(time: .max) }
      return Instant(time: time + seconds * second + attoseconds / 1_000_000_000)
    }

    func duration(to other: Instant) -> Duration { .nanoseconds(other.time - time) }

    static func < (one: Instant, other: Instant) -> Bool { one.time < other.time }
  }

  var now: Instant { Instant(time: sim_now()) }
  var minimumResolution: Duration { .nanoseconds(1) }

  func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    try Task.checkCancellation()
    let sleeper = Sleeper()
    try await withTaskCancellationHandler {
      try await withUnsafeThrowingContinuation { continuation in
        sleeper.begin(continuation)
        after(max(0, deadline.time - sim_now())) { sleeper.end(nil) }
      }
    } onCancel: {
      sleeper.end(CancellationError())
    }
  }
}

/// What sleeps on the clock. One thread at a time runs a world, so no class of it needs a lock.
private final class Sleeper: @unchecked Sendable {
  private var continuation: UnsafeContinuation<Void, any Error>?
  private var isOver = false

  func begin(_ continuation: UnsafeContinuation<Void, any Error>) {
    guard !isOver else { return continuation.resume(throwing: CancellationError()) }
    self.continuation = continuation
  }

  func end(_ error: (any Error)?) {
    guard !isOver else { return }
    isOver = true
    guard let continuation else { return }
    self.continuation = nil
    if let error { continuation.resume(throwing: error) } else { continuation.resume() }
  }
}
