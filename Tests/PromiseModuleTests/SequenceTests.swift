import PromiseModule
import Testing

@Suite(.timeLimit(.minutes(10)))
struct SequenceTests {
  @Test func `the sequence of a promise has its value and ends, each time`() async throws {
    let (promise, resolver) = Promise<Int>.pending()
    let values = promise.values
    let early = Task { try await values.reduce(into: []) { $0.append($1) } }

    resolver.fulfill(1)

    #expect(try await early.value == [1])
    #expect(try await values.reduce(into: []) { $0.append($1) } == [1])
  }

  @Test func `the sequence of a rejected promise throws its error once and ends`() async throws {
    struct Oops: Error {}
    var iterator = Promise<Int>.rejected(Oops()).values.makeAsyncIterator()

    await #expect(throws: Oops.self) { try await iterator.next() }
    #expect(try await iterator.next() == nil)
  }

  @Test func `a task that is cancelled in the loop gives the promise up`() async throws {
    let (promise, resolver) = Promise<Int>.pending()
    let task = Task { for try await _ in promise.values {} }

    task.cancel()

    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(!resolver.isPending)
  }
}
