import Foundation
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

@testable import feeds

@Suite(.inTurn, .timeLimit(.minutes(10)))
struct FeedsCommandTests {
  private let output = Recorder()
  private let errors = Recorder()

  private func run(
    _ words: String..., over loader: (any Loader)? = nil, onTerminal isTerminal: Bool = false
  ) async -> FeedsCommand.Status {
    let channel = errors.channel(isTerminal: isTerminal)
    var command = FeedsCommand(output: output.channel(), errors: channel, library: Library.memory)
    command.loader = loader
    command.now = { .unix(2_000_000_000) }
    return await command.run(words)
  }

  @Test func `the recorded feeds are listed, and the missing one is reported`() async {
    let status = await run("--limit", "100")

    #expect(status == .success)
    #expect(output.text.hasPrefix("2026-11-2"))
    #expect(output.text.contains("Night Sky Weekly · https://nightsky.example/2026/47"))
    #expect(output.text.contains("Fahrplan für den Winter"))
    #expect(output.text.contains("Error messages are the user interface"))
    #expect(output.text.contains("Die Brücke über die Ölde ist wieder befahrbar"))
    #expect(output.text.contains("Field Recordings · https://recordings.example/2026/ice"))
    #expect(errors.text.contains("Harbour Log: 3 items\n"))
    #expect(errors.text.contains("recorded.example/lost-signal.json: failed\n"))
    #expect(errors.text.contains("the server answered 404 Not Found"))
    #expect(errors.text.contains("server says: This feed ended in spring 2025."))
    #expect(!(output.text + errors.text).contains("\u{1B}"))
  }

  @Test func `no item is listed twice, and the limit is respected`() async {
    _ = await run("--limit", "3")

    let links = output.lines.filter { $0.contains("https://") }
    #expect(links.count == 3)
    #expect(Set(links).count == 3)
  }

  @Test func `a terminal gets a bar that is removed again`() async {
    _ = await run(onTerminal: true)

    #expect(errors.text.contains("\r\u{1B}[K████████████████████████ "))
    #expect(!errors.text.contains("[1/"))
    #expect(errors.text.contains("\r\u{1B}[K1 of "))
  }

  @Test func `a URL that fails is reported, the others are listed, and the status is 1`()
    async throws
  {
    let server = try LoopbackServer {
      LoopbackRoute("GET /feed") { _ in
        .json(#"{"title": "T", "items": [{"id": "1", "title": "One"}]}"#)
      }
      LoopbackRoute("GET /page") { _ in .response(body: "<!DOCTYPE html><p>Hello") }
    }

    let status = await run(
      server.url("/feed").absoluteString, server.url("/page").absoluteString,
      server.url("/none").absoluteString)

    #expect(status == .failure)
    #expect(output.text == "2033-05-18  One\n            T\n")
    #expect(errors.text.contains("2 of 3 feeds failed"))
    #expect(
      errors.text.contains(
        "✗ 127.0.0.1/page\n  parsing failed: the document is a web page, not a feed"))
    #expect(errors.text.contains("✗ 127.0.0.1/none\n  unaccepted status: "))
  }

  @Test func `reading all URLs gives status 0`() async {
    let loader = StubLoader()
    loader.stub("/feed", .json(#"{"items": []}"#))

    #expect(await run("https://example.org/feed", over: loader) == .success)
    #expect(output.text.isEmpty)
    #expect(errors.text == "[1/1] example.org/feed: 0 items\n")
  }

  @Test func `secrets of a URL aren't shown`() async {
    let loader = StubLoader()
    loader.stub("/feed", .response(status: 403))

    _ = await run("https://me:hunter2@example.org/feed?token=hunter3", over: loader)

    #expect(errors.text.contains("403"))
    #expect(!errors.text.contains("hunter"))
  }

  @Test func `control characters of a server don't reach the terminal`() async {
    let loader = StubLoader()
    loader.stub("/feed", .json(#"{"detail": "\u001b[2Jgone\u0007"}"#, status: 500))

    _ = await run("https://example.org/feed", over: loader)

    #expect(errors.text.contains("gone"))
    #expect(!errors.text.contains("\u{1B}"))
    #expect(!errors.text.contains("\u{07}"))
  }

  @Test func `help goes to the output`() async {
    #expect(await run("--help") == .success)
    #expect(output.text == Help.text)
    #expect(errors.text.isEmpty)
  }

  @Test func `a wrong option gives status 64 and a message`() async {
    #expect(await run("--nonsense") == .usage)
    #expect(FeedsCommand.Status.usage.rawValue == 64)
    #expect(output.text.isEmpty)
    #expect(errors.text == "feeds: unknown option --nonsense\nTry 'feeds --help'.\n")
  }
}
