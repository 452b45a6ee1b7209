import Foundation
import ResourceLoading
import ResourceTesting
import Synchronization
import TestSupport
import Testing

@testable import feeds

@Suite(.inTurn, .timeLimit(.minutes(10)))
struct FollowTests {
  /// A server with a feed whose number of items the test sets.
  private final class Newspaper: Sendable {
    let count = Mutex(1)
    let isDown = Mutex(false)

    var script: Script {
      if isDown.withLock(\.self) { return .status(500) }
      let items = (1...count.withLock(\.self)).map { number in
        "{\"id\": \"https://n.example/\(number)\", \"url\": \"https://n.example/\(number)\", \"title\": \"Item \(number)\"}"
      }
      return .json("{\"title\": \"News\", \"items\": [\(items.joined(separator: ","))]}")
    }

    func publish() { count.withLock { $0 += 1 } }
  }

  private let output = Recorder()
  private let errors = Recorder()
  private let newspaper = Newspaper()

  private func server() throws -> LoopbackServer {
    try LoopbackServer {
      LoopbackRoute("GET /feed") { [newspaper] _ in newspaper.script }
    }
  }

  private func follow(
    _ url: URL, _ clock: ManualClock, _ signals: AsyncStream<Void>
  ) -> Task<FeedsCommand.Status, Never> {
    var command = FeedsCommand(
      output: output.channel(), errors: errors.channel(), library: Library.memory)
    command.clock = clock
    command.signals = { signals }
    return Task { [command] in
      await command.run(["--follow", "--every", "60", url.absoluteString])
    }
  }

  private func wait(until condition: () -> Bool) async {
    while !condition() { await Task.yield() }
  }

  @Test func `new items are listed once, after each pause, until an interruption`()
    async throws
  {
    let (server, clock) = (try server(), ManualClock())
    defer { server.stop() }
    let run = follow(server.url("/feed"), clock, AsyncStream { _ in })
    await wait { errors.text.contains("Following 1 feed.") }
    #expect(output.text.contains("Item 1"))

    for number in 2...3 {
      newspaper.publish()
      try await clock.waitForSleepers(count: 1, within: .seconds(60))
      clock.advance(by: .seconds(60))
      await wait { output.text.contains("Item \(number)") }
    }
    run.cancel()

    #expect(await run.value == .success)
    #expect(output.lines.count { $0.contains("Item 1") } == 1)
    #expect(output.lines.count { $0.contains("Item 2") } == 1)
  }

  @Test func `a signal reads the feeds immediately`() async throws {
    let (server, clock) = (try server(), ManualClock())
    defer { server.stop() }
    let (signals, signal) = AsyncStream.makeStream(of: Void.self)
    let run = follow(server.url("/feed"), clock, signals)
    await wait { errors.text.contains("Following 1 feed.") }

    newspaper.publish()
    signal.yield()
    await wait { output.text.contains("Item 2") }
    run.cancel()

    #expect(await run.value == .success)
  }

  @Test func `a failed feed is reported once and still followed`() async throws {
    let (server, clock) = (try server(), ManualClock())
    defer { server.stop() }
    let (signals, signal) = AsyncStream.makeStream(of: Void.self)
    let run = follow(server.url("/feed"), clock, signals)
    await wait { errors.text.contains("Following 1 feed.") }

    newspaper.isDown.withLock { $0 = true }
    for _ in 0..<3 {
      let count = server.requests.count
      signal.yield()
      _ = try await server.waitForRequests(count: count + 1)
    }
    await wait { errors.text.contains("500") }
    newspaper.isDown.withLock { $0 = false }
    newspaper.publish()
    signal.yield()
    await wait { output.text.contains("Item 2") }
    run.cancel()
    _ = await run.value

    #expect(errors.lines.count { $0.hasPrefix("✗") } == 1)
  }

  @Test func `SIGCONT makes a running program read its feeds`() async throws {
    let (server, workplace) = (try server(), try Workplace())
    defer { server.stop() }
    let program = try workplace.start("--follow", server.url("/feed").absoluteString)
    await program.waitForError("Following 1 feed.")
    let count = server.requests.count
    program.send(SIGCONT)
    _ = try await server.waitForRequests(count: count + 1)
    program.send(SIGINT)

    #expect(await program.end().status == SIGINT)
  }
}
