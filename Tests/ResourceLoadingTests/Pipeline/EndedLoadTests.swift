import ResourcePrimitives
import ResourceTesting
import Testing

@testable import ResourceLoading

/// The end of a load's task, and the result for its caller.
@Suite(.timeLimit(.minutes(10)))
struct EndedLoadTests {
  private let context = LoadContext(.get("/"), timeout: nil)

  @Test func `a load that ended before it began is cancelled`() async {
    context.end(for: LoadError(.timedOut, "the time is up"))

    await #expect(throws: CancellationError.self) {
      try await context.run { [context] in try context.checkEnd() }
    }

    #expect(context.cause(of: CancellationError()) is LoadError)
  }

  @Test func `a load of a cancelled task is cancelled`() async {
    let task = Task { [context] in
      try? await Task.sleep(for: .seconds(3600))
      return try await context.run { try Task.checkCancellation() }
    }
    task.cancel()

    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `the deadline ends the load, and its reason says so`() async throws {
    let clock = ManualClock()
    let context = LoadContext(
      .get("/"), LoadIdentity(clock: LoadClock(clock)), timeout: .seconds(5))

    let load = Task { try await context.run { try await Task.sleep(for: .seconds(3600)) } }
    try await clock.waitForSleepers(count: 1)
    clock.advance(by: .seconds(5))

    await #expect(throws: CancellationError.self) { try await load.value }
    #expect((context.cause(of: CancellationError()) as? LoadError)?.kind == .timedOut)
  }

  @Test func `the first reason is the error`() async {
    context.end(for: LoadError(.closed, "the client was closed"))
    context.end(for: CancellationError())

    #expect((context.cause(of: CancellationError()) as? LoadError)?.kind == .closed)
  }

  @Test func `the caller resumes after the cancelled task has ended`() async {
    let hasEnded = Gate()
    await #expect(throws: CancellationError.self) {
      try await context.run { [context] in
        defer { hasEnded.open() }
        context.end(for: CancellationError())
        try await Task.sleep(for: .seconds(3600))
      }
    }

    #expect(hasEnded.isOpen)
  }

  @Test func `a task that ignores its cancellation doesn't delay the caller`() async throws {
    let (begun, end, hasEnded) = (Gate(), Gate(), Gate())
    let load = Task { [context] in
      try await context.run {
        begun.open()
        await Task { try? await end.opened() }.value
        hasEnded.open()
      }
    }
    try await begun.opened()
    context.end(for: CancellationError())

    await #expect(throws: CancellationError.self) { try await load.value }
    #expect(!hasEnded.isOpen)
    end.open()
    try await hasEnded.opened()
  }
}
