import Foundation
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

@Suite(.inTurn, .timeLimit(.minutes(10)))
struct StubLoaderTests {
  private let loader = StubLoader()
  private let user = Resource.text(.get("/users/1"))

  @Test func `answers come in turn, the last one from then on`() async throws {
    loader.stub(
      "GET /users/1", .response(status: 503), .response(body: Data("a".utf8)),
      .response(body: Data("b".utf8)))

    await #expect(throws: LoadError.self) { try await loader.load(user) }
    var texts: [String] = []
    for _ in 0..<3 { texts.append(try await loader.load(user)) }

    #expect(texts == ["a", "b", "b"])
    #expect(loader.requests.count == 4)
  }

  @Test func `the more telling pattern answers`() async throws {
    loader.stub("*", .value("any"))
    loader.stub("/users/1", .value("path"))
    loader.stub("POST /users/1", .value("method"))

    #expect(try await loader.load(user) == "path")
    #expect(try await loader.load(.text(.post("/users/1"))) == "method")
    #expect(try await loader.load(.text(.get("/other"))) == "any")
  }

  @Test func `an error is thrown as it is`() async {
    struct Odd: Error {}
    loader.stub("*", .error(Odd()))

    await #expect(throws: Odd.self) { try await loader.load(user) }
  }

  @Test func `what nobody stubbed, and a value of another type, say so`() async {
    let unknown = await #expect(throws: LoadError.self) { try await loader.load(user) }
    loader.stub("*", .value(7))
    let mistyped = await #expect(throws: LoadError.self) { try await loader.load(user) }

    #expect(unknown?.reason == "the stub loader knows no answer to GET /users/1")
    #expect(mistyped?.reason == "the stub for this request holds a Int, not a String")
  }

  @Test func `a delay passes on the clock that it is given`() async throws {
    let clock = ManualClock()
    loader.stub("*", .value("late").delayed(by: .seconds(3_600), clock: clock))

    let task = Task { [loader, user] in try await loader.load(user) }
    try await clock.waitForSleepers(count: 1)
    clock.advance(by: .seconds(3_600))

    #expect(try await task.value == "late")
  }

  @Test func `a cancelled load doesn't wait for its delay`() async throws {
    let gate = Gate()
    loader.stub("*", .value("never").waiting(for: gate))

    let task = Task { [loader, user] in try await loader.load(user) }
    try await gate.waitForArrivals(count: 1)
    task.cancel()

    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
