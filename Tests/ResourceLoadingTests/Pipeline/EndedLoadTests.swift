import PromiseModule
import Testing

@testable import ResourceLoading

/// A load that has come to its end, by its time limit, say, before it begins to wait for something.
@Suite(.timeLimit(.minutes(10)))
struct EndedLoadTests {
  private let context = LoadContext(.get("/"), timeout: nil)
  private let promise: Promise<Int>
  private let resolver: Promise<Int>.Resolver

  init() {
    (promise, resolver) = Promise<Int>.pending()
    context.end(for: LoadError(.timedOut, "the time is up"))
  }

  @Test func `a cancelled load cancels what only it waits for`() async {
    await #expect(throws: CancellationError.self) { try await context.wait(for: promise) }

    await #expect(throws: CancellationError.self) { try await promise.get() }
  }

  @Test func `work without other waiters is cancelled`() async {
    var counted = false
    await #expect(throws: CancellationError.self) {
      try await context.wait(forShared: promise) { counted = true }
    }

    await #expect(throws: CancellationError.self) { try await promise.get() }
    #expect(!counted)
  }

  @Test func `work with other waiters continues`() async throws {
    let other = promise.map(on: .inline) { $0 + 1 }

    await #expect(throws: CancellationError.self) { try await context.wait(forShared: promise) }
    #expect(resolver.isPending)
    resolver.fulfill(1)

    #expect(try await other.get() == 2)
  }
}
