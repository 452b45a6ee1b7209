import PromiseModule
import TestSupport
import Testing

/// Promises/A+ 2.2: handlers. `map`, `then` and `done` take a value, `recover` and `catch` an
/// error.
@Suite(.inTurn, .timeLimit(.minutes(10))) struct ThenTests {
  @Test(arguments: Timing.allCases, Place.allCases)
  func `2.2.2.1 and 2.2.2.3 a value handler gets the value, once`(
    timing: Timing, place: Place
  ) async throws {
    let log = Log<Int>()

    let done = timing.fulfill(7) { $0.map(at: place) { log.add($0) } }
    try await done.get()

    #expect(log.entries == [7])
  }

  @Test(arguments: Place.allCases)
  func `2.2.2.2 a value handler isn't called before there is a value`(place: Place) async throws {
    let log = Log<String>()
    let (promise, resolver) = Promise<Int>.pending()
    let done = promise.map(at: place) { _ in log.add("handler") }

    log.add("fulfil")
    resolver.fulfill(1)
    resolver.fulfill(2)
    try await done.get()

    #expect(log.entries == ["fulfil", "handler"])
  }

  @Test(arguments: Timing.allCases, Place.allCases)
  func `2.2.3.1 and 2.2.3.3 an error handler gets the reason, once`(
    timing: Timing, place: Place
  ) async throws {
    let log = Log<Int>()

    let done = timing.reject(Oops(number: 7)) { source in
      source.recover(at: place) { error in
        log.add((error as? Oops)?.number ?? 0)
        return 0
      }
    }
    try await done.get()

    #expect(log.entries == [7])
  }

  @Test(arguments: Place.allCases)
  func `2.2.3.2 an error handler isn't called before there is a reason`(
    place: Place
  ) async throws {
    let log = Log<String>()
    let (promise, resolver) = Promise<Int>.pending()
    let done = promise.recover(at: place) { _ in
      log.add("handler")
      return 0
    }

    log.add("reject")
    resolver.reject(Oops())
    try await done.get()

    #expect(log.entries == ["reject", "handler"])
  }

  @Test(arguments: [Timing.already, .atOnce])
  func `2.2.4 handlers run after the caller's stack has unwound`(timing: Timing) {
    let executor = ManualExecutor()
    let log = Log<String>()

    timing.fulfill(1) { promise in _ = promise.done(on: executor) { _ in log.add("value") } }
    timing.reject(Oops()) { promise in _ = promise.catch(on: executor) { _ in log.add("error") } }
    log.add("caller")
    executor.drain()

    #expect(log.entries == ["caller", "value", "error"])
  }

  @Test func `2.2.4 inline handlers run inside the call, as documented`() {
    let log = Log<String>()

    Promise.fulfilled(1).done(on: .inline) { _ in log.add("handler") }
    log.add("caller")

    #expect(log.entries == ["handler", "caller"])
  }

  @Test(arguments: Timing.allCases, Place.allCases)
  func `2.2.6.1 value handlers run in the order in which they were added`(
    timing: Timing, place: Place
  ) async throws {
    let log = Log<Int>()

    let last = timing.fulfill(1) { promise in
      for index in 0..<5 { _ = promise.map(at: place) { _ in log.add(index) } }
      return promise.map(at: place) { _ in log.add(5) }
    }
    try await last.get()

    #expect(log.entries == [0, 1, 2, 3, 4, 5])
  }

  @Test(arguments: Timing.allCases, Place.allCases)
  func `2.2.6.2 error handlers run in the order in which they were added`(
    timing: Timing, place: Place
  ) async throws {
    let log = Log<Int>()

    let last = timing.reject(Oops()) { promise in
      for index in 0..<5 {
        _ = promise.recover(at: place) { _ in
          log.add(index)
          throw Oops()
        }
      }
      return promise.recover(at: place) { _ in 5 }
    }

    #expect(try await last.get() == 5)
    #expect(log.entries == [0, 1, 2, 3, 4])
  }

  @Test(arguments: Timing.allCases, Place.allCases)
  func `2.2.7.1 what a handler returns resolves the new promise`(
    timing: Timing, place: Place
  ) async throws {
    let mapped = timing.fulfill(1) { $0.map(at: place) { "\($0)" } }
    let chained = timing.fulfill(1) { $0.then(at: place) { .fulfilled("\($0)!") } }
    let recovered = timing.reject(Oops()) { $0.recover(at: place) { _ in 3 } }

    #expect(try await mapped.get() == "1")
    #expect(try await chained.get() == "1!")
    #expect(try await recovered.get() == 3)
  }

  @Test(arguments: Timing.allCases, Place.allCases)
  func `2.2.7.2 what a handler throws rejects the new promise`(
    timing: Timing, place: Place
  ) async {
    let mapped = timing.fulfill(1) { $0.map(at: place) { _ in throw Oops(number: 1) } }
    let recovered = timing.reject(Oops()) {
      $0.recover(at: place) { _ in throw Oops(number: 2) }
    }

    await #expect(throws: Oops(number: 1)) { try await mapped.get() }
    await #expect(throws: Oops(number: 2)) { try await recovered.get() }
  }

  @Test(arguments: Timing.allCases, Place.allCases)
  func `2.2.7.3 a value passes where only errors are handled`(
    timing: Timing, place: Place
  ) async throws {
    let passed = timing.fulfill(4) { $0.recover(at: place) { _ in 0 } }

    #expect(try await passed.get() == 4)
  }

  @Test(arguments: Timing.allCases, Place.allCases)
  func `2.2.7.4 a reason passes where only values are handled`(
    timing: Timing, place: Place
  ) async {
    let passed = timing.reject(Oops(number: 4)) { $0.map(at: place) { $0 } }

    await #expect(throws: Oops(number: 4)) { try await passed.get() }
  }
}
