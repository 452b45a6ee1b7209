import Dispatch
import PromiseModule
import TestSupport
import Testing

// The samples of the documentation, word for word, so that they compile.

private struct User: Sendable { var name: String }
private struct UserNotFound: Error {}

private func user(_ number: Int) async throws -> User {
  if number == 42 { User(name: "Ada") } else { throw UserNotFound() }
}

private func store(_ text: String) throws {}

private final class Download: Sendable {
  let name: String
  let completion: @Sendable (Result<String, any Error>) -> Void

  init(_ name: String, completion: @escaping @Sendable (Result<String, any Error>) -> Void) {
    self.name = name
    self.completion = completion
  }

  func start() { completion(.success(name)) }
  func stop() {}
}

private func download(_ name: String) -> Promise<String> {
  Promise { resolver in
    let work = Download(name) { resolver.resolve($0) }
    resolver.onCancel { work.stop() }
    work.start()
  }
}

@MainActor private final class Screen {
  var text = ""
}

@MainActor private func show(_ article: Promise<String>, on screen: Screen) {
  article.done(on: .main) { screen.text = $0 }
}

private final class Worker: PromiseExecutor {
  private let queue = DispatchQueue(label: "worker")

  func schedule(_ job: @escaping @Sendable () -> Void) {
    queue.async(execute: job)
  }
}

@Suite(.inTurn, .timeLimit(.minutes(10))) struct DocumentationTests {
  private let queue = DispatchQueue(label: "documentation")
  private let names = ["a", "b", "c"]

  @Test func `the example of the first page greets the user`() async throws {
    let greeting = Promise { try await user(42) }
      .map(\.name)
      .recover(from: UserNotFound.self) { _ in "nobody" }
      .map { "Hello, \($0)!" }

    #expect(try await greeting.value == "Hello, Ada!")
  }

  @Test func `the examples of creating promises work`() async throws {
    let promise = Promise { try await user(42) }
    let name = try await promise.value.name
    let (answer, resolver) = Promise<Int>.pending()
    resolver.fulfill(42)
    let known = Promise.fulfilled(42)
    let failed = Promise<Int>.rejected(UserNotFound())

    #expect(name == "Ada")
    #expect(answer.fulfilledValue == known.fulfilledValue)
    #expect(failed.rejection is UserNotFound)
  }

  @Test func `the examples of chaining work`() async throws {
    let line = Promise { try await user(42) }
      .then { user in download(user.name) }
      .map(\.count)
      .done { count in print("\(count) bytes") }
      .catch { error in print("failed: \(error)") }
      .finally { print("over") }
    let picture = download("portrait")
      .recoverWith(from: UserNotFound.self) { _ in download("placeholder") }
    download("log")
      .reportingUnobserved { error in print("nobody noticed: \(error)") }
      .done { print($0) }

    #expect(try await line.get() == 3)
    #expect(try await picture.get() == "portrait")
  }

  @Test @MainActor func `the examples of executors work`() async throws {
    let text = download("article")
    let words = text.map { $0.split(separator: " ").count }
    let stored = text.map(on: queue) { try store($0) }
    let length = text.map(on: .inline, \.count)
    let screen = Screen()
    show(text, on: screen)

    #expect(try await words.get() == 1)
    try await stored.get()
    #expect(length.fulfilledValue == 7)
    #expect(try await text.map(on: Worker()) { $0 }.get() == "article")
    try await text.done(on: .main) { #expect(screen.text == $0) }.get()
  }

  @Test func `the examples of cancelling work`() async {
    let (article, resolver) = Promise<String>.pending()
    let words = article.map { $0.split(separator: " ").count }
    let length = article.map(\.count)

    words.cancel()
    #expect(resolver.isPending)
    length.cancel()
    #expect(!resolver.isPending)

    let reader = Task { try await article.value }
    reader.cancel()
    await #expect(throws: CancellationError.self) { try await reader.value }
    let end = await Task { try await article.value }.result
    switch end {
    case .success(let text): print(text)
    case .failure(let error): print("gone: \(error)")
    }
  }

  @Test func `the examples of promises in variables cancel what the article says`() {
    let (shutdown, stop) = Promise<String>.pending()
    let (pictures, show) = Promise<String>.pending()
    let (settings, set) = Promise<String>.pending()
    let work = Promise.fulfilled("done")
    let profile = Promise<String>.rejected(UserNotFound())

    do {
      let first = Promise.race(shutdown.shielded(), work)
      let page = Promise.all(profile, pictures.shielded())
      let quick = settings.shielded().timeout(after: .seconds(2))
      #expect(first.fulfilledValue == "done")
      #expect(page.rejection is UserNotFound)
      quick.cancel()
    }
    #expect([stop.isPending, show.isPending, set.isPending] == [true, true, true])

    do {
      // Cancels shutdown when the work is done first.
      let first = Promise.race(shutdown, work)
      // Cancels pictures when the profile can't be loaded.
      let page = Promise.all(profile, pictures)
      // Cancels settings when two seconds are over.
      let quick = settings.timeout(after: .seconds(2))
      #expect(first.fulfilledValue == "done")
      #expect(page.rejection is UserNotFound)
      quick.cancel()
    }
    #expect([stop.isPending, show.isPending, set.isPending] == [false, false, false])
  }

  @Test @MainActor func `the examples for users of PromiseKit work`() async throws {
    let screen = Screen()

    download("user")
      .map(\.count)
      .finally(on: .main) { screen.text = "" }
      .done(on: .main) { screen.text = "\($0)" }
      .catch(on: .main) { screen.text = "\($0)" }

    let text = download("log")
    text.observe { print($0) }
    let count = text.map(\.count)
    #expect(try await count.get() == 3)
  }

  @Test func `the examples of combining work`() async throws {
    let page = Promise.all(download("text"), Promise { try await user(42) })
      .map { text, user in "\(text), by \(user.name)" }

    let all = Promise.all(names.map { download($0) })
    let outcomes = Promise.settled(names.map { download($0) })
    let fastest = Promise.any(download("mirror 1"), download("mirror 2"))
    let first = Promise.race(download("text"), .rejected(UserNotFound()))
    let gently = Promise.map(names, concurrency: 4) { download($0) }

    #expect(try await page.get() == "text, by Ada")
    #expect(try await all.get() == names)
    #expect(try await outcomes.get().map { try $0.get() } == names)
    #expect(try await fastest.get() == "mirror 1")
    #expect(try await first.get() == "text")
    #expect(try await gently.get() == names)
  }

  @Test func `the example of a work item works`() async throws {
    let queue = DispatchQueue.global()
    func compute() -> Int { 42 }

    let answer = Promise<Int> { resolver in
      let item = DispatchWorkItem { resolver.fulfill(compute()) }
      resolver.onCancel(item)
      queue.async(execute: item)
    }

    #expect(try await answer.get() == 42)
  }

  @Test func `the examples of delays, timeouts and retries work`() async throws {
    let later = Promise.delay(for: .seconds(2)).then { download("text") }
    let limited = download("text").timeout(after: .seconds(10))
    let policy = RetryPolicy(
      maximumAttempts: 5,
      backoff: Backoff(base: .milliseconds(200), factor: 2, maximum: .seconds(5)),
      maximumTime: .seconds(30),
      isRetryable: { !($0 is UserNotFound) })
    let text = Promise.retry(policy) { attempt in download("text, attempt \(attempt)") }

    #expect(try await limited.get() == "text")
    #expect(try await text.get() == "text, attempt 1")
    later.cancel()
    #expect(later.rejection is CancellationError)
  }
}
