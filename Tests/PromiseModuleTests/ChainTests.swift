import Dispatch
import PromiseModule
import Testing

@Suite struct ChainTests {
  @Test func `a chain passes a value through each of its steps`() {
    let seen = Log<Int>()
    struct User { var repositories: [String] }

    Promise.fulfilled(User(repositories: ["a", "b"]))
      .then(on: .inline) { Promise.fulfilled($0.repositories) }
      .map(on: .inline, \.count)
      .done(on: .inline) { seen.add($0) }
      .catch(on: .inline) { _ in seen.add(-1) }

    #expect(seen.entries == [2])
  }

  @Test(.timeLimit(.minutes(10)))
  func `handlers without an executor run off the main thread`() async throws {
    let onMain = try await Promise.fulfilled(1)
      .then { .fulfilled($0) }
      .map(\.description)
      .map { _ in
        dispatchPrecondition(condition: .notOnQueue(.main))
        return false
      }
      .value

    #expect(!onMain)
  }

  @Test(.timeLimit(.minutes(10)))
  func `handlers that name a dispatch queue run on it`() async throws {
    let queue = DispatchQueue(label: "named")

    let value = try await Promise.fulfilled(1).map(on: queue) { value in
      dispatchPrecondition(condition: .onQueue(queue))
      return value + 1
    }.value

    #expect(value == 2)
  }

  @MainActor final class Screen {
    var text = ""
  }

  @Test(.timeLimit(.minutes(10))) @MainActor
  func `handlers on the main actor can use its state`() async throws {
    let screen = Screen()

    let shown = Promise { 1 }
      .map(on: .main) { screen.text = "\($0)" }
      .then(on: .main) { .fulfilled(screen.text) }
      .done(on: .main) { screen.text += $0 }
      .finally(on: .main) { screen.text += "!" }
    try await shown.get()

    #expect(screen.text == "11!")
  }

  @Test(.timeLimit(.minutes(10))) @MainActor
  func `recover, retry and bounded map can use the main actor's state`() async throws {
    let screen = Screen()
    let failed = Promise<Int>.rejected(Oops(number: 1))

    let recovered = [
      failed.recover(on: .main) { _ in
        screen.text += "a"
        return 1
      },
      failed.recover(from: Oops.self, on: .main) { error in
        screen.text += "b"
        return error.number
      },
      failed.recoverWith(on: .main) { _ in
        screen.text += "c"
        return .fulfilled(1)
      },
      failed.recoverWith(from: Oops.self, on: .main) { error in
        screen.text += "d"
        return .fulfilled(error.number)
      },
    ]
    for promise in recovered { #expect(try await promise.get() == 1) }
    #expect(Set(screen.text) == ["a", "b", "c", "d"])

    let retried = Promise.retry(RetryPolicy(backoff: .none), on: .main) { attempt in
      screen.text = "attempt \(attempt)"
      return attempt == 1 ? .rejected(Oops()) : .fulfilled(attempt)
    }
    #expect(try await retried.get() == 2)
    #expect(screen.text == "attempt 2")

    screen.text = ""
    let mapped = Promise.map(0..<5, concurrency: 2, on: .main) { number in
      screen.text += "\(number)"
      return .fulfilled(number * 2)
    }
    #expect(try await mapped.get() == [0, 2, 4, 6, 8])
    #expect(screen.text == "01234")
  }

  @Test func `an error skips the closures that handle values`() {
    let log = Log<String>()

    let promise = Promise<Int>.rejected(Oops(number: 1))
      .map(on: .inline) { _ in log.add("map") }
      .then(on: .inline) { Promise.fulfilled(log.add("then")) }
      .done(on: .inline) { log.add("done") }
      .catch(on: .inline) { log.add("catch \(($0 as? Oops)?.number ?? 0)") }
      .finally(on: .inline) { log.add("finally") }

    #expect(log.entries == ["catch 1", "finally"])
    #expect(promise.rejection as? Oops == Oops(number: 1))
  }

  @Test func `recovery by type lets other errors pass`() {
    struct Other: Error {}

    let recovered = Promise<Int>.rejected(Oops(number: 5))
      .recover(from: Other.self, on: .inline) { _ in 1 }
      .recover(from: Oops.self, on: .inline) { $0.number }

    #expect(recovered.fulfilledValue == 5)
  }

  @Test func `recovery may continue with another promise or throw another error`() {
    let other = Promise<Int>.rejected(Oops(number: 1))
      .recoverWith(on: .inline) { _ in .fulfilled(2) }
    let failed = Promise<Int>.rejected(Oops(number: 1))
      .recover(on: .inline) { _ in throw Oops(number: 2) }
    let typed = Promise<Int>.rejected(Oops(number: 1))
      .recoverWith(from: Oops.self, on: .inline) { .fulfilled($0.number + 2) }

    #expect(other.fulfilledValue == 2)
    #expect(failed.rejection as? Oops == Oops(number: 2))
    #expect(typed.fulfilledValue == 3)
  }

  @Test func `a closure that throws rejects its promise`() {
    let source = Promise.fulfilled(1)

    let all: [Promise<Int>] = [
      source.map(on: .inline) { _ in throw Oops() },
      source.then(on: .inline) { _ in throw Oops() },
      source.done(on: .inline) { _ in throw Oops() },
      source.finally(on: .inline) { throw Oops() },
    ]

    #expect(all.allSatisfy { $0.rejection is Oops })
  }

  @Test func `handlers run in the order in which they were added`() {
    let executor = ManualExecutor()
    let log = Log<Int>()
    let (promise, resolver) = Promise<Int>.pending()

    promise.done(on: executor) { _ in
      log.add(0)
      promise.done(on: executor) { _ in log.add(3) }
    }
    promise.done(on: executor) { _ in log.add(1) }
    resolver.fulfill(0)
    promise.done(on: executor) { _ in log.add(2) }
    executor.drain()

    #expect(log.entries == [0, 1, 2, 3])
  }

  @Test(.timeLimit(.minutes(10)))
  func `order holds on a global queue that is looked up each time`() async throws {
    let log = Log<Int>()
    let (promise, resolver) = Promise<Int>.pending()

    for index in 0..<500 { promise.observe(on: DispatchQueue.global()) { _ in log.add(index) } }
    resolver.fulfill(0)
    for index in 500..<1000 { promise.observe(on: DispatchQueue.global()) { _ in log.add(index) } }
    try await promise.done(on: DispatchQueue.global()) { _ in log.add(1000) }.get()

    #expect(log.entries == Array(0...1000))
  }

  @Test func `handlers on two executors don't wait for each other`() {
    let (first, second) = (ManualExecutor(), ManualExecutor())
    let log = Log<String>()
    let promise = Promise.fulfilled(0)

    promise.done(on: first) { _ in log.add("first") }
    promise.done(on: second) { _ in log.add("second") }
    second.drain()
    #expect(log.entries == ["second"])

    first.drain()
    #expect(log.entries == ["second", "first"])
  }
}
