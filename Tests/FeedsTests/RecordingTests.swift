import Foundation
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

@testable import feeds

@Suite(.inTurn, .timeLimit(.minutes(10)))
struct RecordingTests {
  private let workplace: Workplace
  private let output = Recorder()
  private let errors = Recorder()

  init() throws { workplace = try Workplace() }

  private var file: URL { workplace.folder.appending(path: "run.har") }

  private func run(_ words: String...) async -> ProgramStatus {
    await FeedsCommand(output: output.channel(), errors: errors.channel(), library: Library.memory)
      .run(words)
  }

  private func makeServer() throws -> LoopbackServer {
    try LoopbackServer {
      LoopbackRoute("GET /old*", .redirect(to: "/feed", status: 301))
      LoopbackRoute("GET /feed") { _ in
        .json(#"{"title": "T", "items": [{"id": "1", "title": "One"}]}"#)
      }
      LoopbackRoute("GET /page") { _ in .response(body: "<!DOCTYPE html><p>Hello") }
    }
  }

  @Test func `a recorded run is replayed without a network, with the same output`() async throws {
    let server = try makeServer()
    let urls = [server.url("/old?token=planted-1234"), server.url("/page")].map(\.absoluteString)

    let recorded = await run("--record", file.path, urls[0], urls[1])
    server.stop()
    let (listed, failures) = (output.text, errors.text)
    let replayed = await run("--replay", file.path)

    #expect(recorded == .failure)
    #expect(replayed == .failure)
    #expect(listed == "no date     One\n            T\n")
    #expect(output.text == listed + listed)
    #expect(failures.contains("the document is a web page, not a feed"))
    #expect(errors.text.contains("1 of 2 feeds failed"))
    let text = try String(contentsOf: file, encoding: .utf8)
    #expect(!text.contains("planted-1234"))
    #expect(try HTTPArchive(contentsOf: file).entries.count == 3)
  }

  @Test func `a replay reads the URLs that are named, and only from the file`() async throws {
    let server = try makeServer()
    let url = server.url("/feed").absoluteString
    #expect(await run("--record", file.path, url) == .success)

    let status = await run("--replay", file.path, url, server.url("/page").absoluteString)

    #expect(status == .failure)
    #expect(server.requests.count == 1)
    #expect(errors.text.contains("notRecorded: the recording has no answer to GET"))
  }

  @Test func `a recorded run asks for everything anew`() async throws {
    let server = try LoopbackServer {
      LoopbackRoute("GET /feed") { request in
        request.header("If-None-Match") == nil
          ? .response(headers: ["ETag": "\"v1\""], body: #"{"title": "T", "items": []}"#)
          : .status(304)
      }
    }
    defer { server.stop() }
    let (database, url) = (workplace.database.path, server.url("/feed").absoluteString)
    _ = await run("--database", database, url)

    let status = await run("--database", database, "--record", file.path)

    #expect(status == .success)
    #expect(try HTTPArchive(contentsOf: file).entries.map(\.response.status) == [200])
  }

  @Test func `a file that can't be read or written gives status 66 and says so`() async throws {
    try Data("{".utf8).write(to: file)
    let nowhere = workplace.folder.appending(path: "none/run.har").path

    #expect(await run("--replay", file.path) == .recording)
    #expect(errors.text.contains("run.har can't be read: the body isn't JSON"))
    #expect(await run("--replay", nowhere) == .recording)
    #expect(errors.text.contains("none/run.har can't be read: "))
    #expect(await run("--record", nowhere, "http://a.example/") == .recording)
    #expect(errors.text.contains("hint: Make the directory before"))
    try HTTPArchive().write(to: file)
    #expect(await run("--replay", file.path) == .recording)
    #expect(errors.text.contains("no request of a feed is recorded in it"))
    #expect(ProgramStatus.recording.rawValue == 66)
    #expect(output.text.isEmpty)
  }

  @Test func `there has to be something to record`() async {
    #expect(await run("--record", file.path) == .usage)
    #expect(errors.text.hasPrefix("feeds: --record needs feeds: name their URLs\n"))
  }
}
