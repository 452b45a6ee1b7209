import Foundation
import ResourceTesting
import TestSupport
import Testing

@Suite(.inTurn, .timeLimit(.minutes(10))) struct GateTests {
  @Test func `a gate holds a task until it opens`() async throws {
    let gate = Gate()
    let task = Task { try await gate.opened() }
    try await gate.waitForArrivals(count: 1)

    gate.open()

    try await task.value
    #expect(gate.isOpen)
  }

  @Test func `an open gate lets everything through and counts it`() async throws {
    let gate = Gate()
    gate.open()
    gate.open()

    try await gate.opened()
    try await gate.opened()

    #expect(gate.arrivals == 2)
  }

  @Test func `a cancelled task stops waiting at the gate`() async {
    let gate = Gate()
    let task = Task { try await gate.opened() }

    task.cancel()

    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(!gate.isOpen)
  }

  @Test func `a gate holds a thread until it opens`() async throws {
    let (gate, passed) = (Gate(), Gate())
    for _ in 0..<3 {
      Thread {
        gate.blockUntilOpen()
        passed.open()
      }.start()
    }
    try await gate.waitForArrivals(count: 3)
    #expect(!passed.isOpen)

    gate.open()

    try await passed.opened()
  }
}
