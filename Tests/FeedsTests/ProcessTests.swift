import Foundation
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

@testable import feeds

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The built program as a process, with a library in a file.
@Suite(.inTurn, .serialized, .timeLimit(.minutes(10)))
struct ProcessTests {
  private let workplace: Workplace

  init() throws { workplace = try Workplace() }

  private func feed(_ title: String, _ items: ClosedRange<Int>) -> Script {
    .json(document(title, items))
  }

  private func document(_ title: String, _ items: ClosedRange<Int>) -> String {
    let list = items.reversed().map { number in
      """
      {"id": "\(number)", "url": "https://a.example/\(title)/\(number)", "title": "No. \(number)",
       "date_published": "2026-11-\(number)T10:00:00Z"}
      """
    }
    return #"{"title": "\#(title)", "items": [\#(list.joined(separator: ","))]}"#
  }

  @Test func `the second run lists kept items immediately, then new ones, and none twice`()
    async throws
  {
    let server = try LoopbackServer {
      LoopbackRoute("GET /a", feed("A", 10...12), feed("A", 10...13))
    }
    defer { server.stop() }

    let first = try await workplace.run(server.url("/a").absoluteString)
    let second = try await workplace.run()

    #expect(first.status == 0)
    #expect(first.links.map(\.last) == ["2", "1", "0"])
    #expect(first.errors == "[1/1] 127.0.0.1/a: 3 items\n".replacing("127.0.0.1/a", with: "A"))
    #expect(second.status == 0)
    #expect(second.links.map(\.last) == ["2", "1", "0", "3"])
    #expect(second.errors.hasPrefix("Kept:\n"))
    #expect(second.errors.hasSuffix("1 new item\n"))
    #expect(!(second.output + second.errors).contains("\u{1B}"))
  }

  @Test(arguments: [
    ("ETag", "\"v1\"", "If-None-Match"),
    ("Last-Modified", "Fri, 20 Nov 2026 10:00:00 GMT", "If-Modified-Since"),
  ])
  func `a feed that hasn't changed isn't sent again`(
    _ validator: String, _ value: String, _ condition: String
  ) async throws {
    let document = document("A", 10...12)
    let server = try LoopbackServer {
      LoopbackRoute("GET /a") { request in
        let isKnown = request.header(condition) == value
        return .response(
          status: isKnown ? 304 : 200, headers: [validator: value, "Cache-Control": "no-cache"],
          body: isKnown ? "" : document)
      }
    }
    defer { server.stop() }
    let url = server.url("/a").absoluteString

    let ends = [
      try await workplace.run(url), try await workplace.run(url), try await workplace.run(),
    ]

    #expect(server.requests.map { $0.header(condition) } == [nil, value, value])
    #expect(ends.map(\.status) == [0, 0, 0])
    #expect(ends.map(\.links) == Array(repeating: ends[0].links, count: 3))
    #expect(ends[2].errors.hasSuffix("[1/1] A: 3 items\nNothing new\n"))
    server.stop()
    #expect(try await workplace.run().errors.contains("\nOffline. "))
  }

  @Test func `without a server the second run lists kept items and says when they were read`()
    async throws
  {
    let server = try LoopbackServer { LoopbackRoute("GET /a", feed("A", 10...12)) }
    let url = server.url("/a").absoluteString
    _ = try await workplace.run(url)
    server.stop()

    let end = try await workplace.run(url)

    #expect(end.status == 0)
    #expect(end.links.map(\.last) == ["2", "1", "0"])
    #expect(end.errors.contains("\nOffline. What is listed was read at 20"))
  }

  @Test func `offline no request is sent, and JSON says so`()
    async throws
  {
    let server = try LoopbackServer { LoopbackRoute("GET /a", feed("A", 10...12)) }
    defer { server.stop() }
    _ = try await workplace.run(server.url("/a").absoluteString)

    let end = try await workplace.run("--offline", "--json", "-n", "1")

    #expect(server.requests.count == 1)
    let document = try JSONDecoder().decode(JSONValue.self, from: Data(end.output.utf8))
    #expect(document["offline"]?.bool == true)
    #expect(document["feeds"]?[0]?["read"]?.string != nil)
    #expect(document["items"]?[0]?["identity"]?.string == "12")
    #expect(document["items"]?[1] == nil)
  }

  @Test func `a feed that can't be read the first time isn't kept`() async throws {
    let port = try UnservedPort(.refusing)
    let end = try await workplace.run(port.url().absoluteString)

    #expect(end.status == 1)
    #expect(end.errors.contains("can't be reached"))
    let list = try await workplace.run("--offline")
    #expect(list.output.isEmpty)
    #expect(list.errors == "No feed is kept. Name one to keep it: feeds URL\n")
    #expect(list.status == 0)
  }

  @Test(arguments: [SIGKILL, SIGINT])
  func `a run that is killed or interrupted keeps every feed that it had read`(_ signal: Int32)
    async throws
  {
    let server = try LoopbackServer {
      LoopbackRoute("GET /a", feed("A", 10...12))
      LoopbackRoute("GET /b", .silence)
    }
    defer { server.stop() }
    let run = try workplace.start(
      server.url("/a").absoluteString, server.url("/b").absoluteString)
    await run.waitForError("[1/2] A: 3 items\n")

    run.send(signal)

    #expect(await run.end().status == signal)
    let end = try await workplace.run("--offline")
    #expect(end.links.map(\.last) == ["2", "1", "0"])
  }

  @Test func `several processes use one file simultaneously`() async throws {
    let server = try LoopbackServer {
      for name in ["a", "b", "c", "d"] { LoopbackRoute("GET /\(name)", feed(name, 10...29)) }
    }
    defer { server.stop() }
    let runs = try ["a", "b", "c", "d"].flatMap { name in
      try [1, 2].map { _ in try workplace.start(server.url("/\(name)").absoluteString) }
    }

    for run in runs {
      let end = await run.end()
      #expect(end.status == 0, "\(end.errors)")
      #expect(Set(end.links).count == 20)
    }
    let links = try await workplace.run("--offline", "-n", "1000").links
    #expect(links.count == 80)
    #expect(Set(links).count == 80)
  }

  @Test func `an item that another feed has, too, isn't listed again`() async throws {
    let items = (1...3).map { #"{"id": "urn:\#($0)", "title": "No. \#($0)"}"# }
    let list = items.joined(separator: ",")
    let server = try LoopbackServer {
      // The path that sorts first is the last argument.
      LoopbackRoute("GET /b", .json(#"{"title": "B", "items": [\#(list)]}"#))
      LoopbackRoute("GET /a", .json(#"{"title": "A", "items": [\#(list), {"id": "4"}]}"#))
    }
    defer { server.stop() }
    let (a, b) = (server.url("/a").absoluteString, server.url("/b").absoluteString)
    _ = try await workplace.run(b)

    let end = try await workplace.run(a, b)

    #expect(end.output.components(separatedBy: "No. ").count - 1 == 3)
    #expect(end.output.contains("(without a title)"))
  }

  @Test func `the recorded feeds leave nothing behind, unless a file is named`() async throws {
    let bare = try await RunningProgram([], in: workplace).end()
    #expect(bare.status == 0)
    #if Curl && os(Linux)
      #expect(try workplace.names.isEmpty)
    #else
      // On Linux, a URLSession creates empty folders for a cache and cookies, even if it has
      // neither.
      #expect(try workplace.files.isEmpty)
    #endif

    #expect(try await workplace.run().status == 0)
    let again = try await workplace.run()
    #expect(again.status == 0)
    #expect(again.errors.hasSuffix("Nothing new\n"))
    #expect(Set(again.links).count == again.links.count)
  }

  @Test func `only the user can read the library's files and folders`()
    async throws
  {
    let server = try LoopbackServer {
      LoopbackRoute("GET /a", feed("A", 10...12))
      LoopbackRoute("GET /b", .silence)
    }
    defer { server.stop() }
    let file = workplace.folder.appending(path: "x/y/kept.sqlite")
    let run = try RunningProgram(
      ["--database", file.path, server.url("/a").absoluteString, server.url("/b").absoluteString],
      in: workplace)
    await run.waitForError("[1/2] A: 3 items\n")

    // While it runs, the files beside the database exist, too.
    let modes = try workplace.modes(in: "x")
    run.send(SIGINT)
    _ = await run.end()

    #expect(modes["x/y"] == 0o700)
    #expect(modes["x/y/kept.sqlite"] == 0o600)
    #expect(modes["x/y/kept.sqlite-wal"] == 0o600)
    #expect(modes.allSatisfy { $0.value & 0o077 == 0 }, "\(modes)")
  }

  @Test func `without a name, the library is in the system's usual folder`() async throws {
    let server = try LoopbackServer { LoopbackRoute("GET /a", feed("A", 10...12)) }
    defer { server.stop() }

    _ = try await RunningProgram([server.url("/a").absoluteString], in: workplace).end()

    let end = try await RunningProgram(["--offline"], in: workplace).end()
    #expect(end.links.count == 3)
    #if os(Linux)
      #expect(
        FileManager.default.fileExists(
          atPath: workplace.folder.appending(path: "data/feeds/feeds.sqlite").path))
    #endif
  }

  @Test func `a page with all loads is written, also if a feed can't be read`() async throws {
    let server = try LoopbackServer {
      LoopbackRoute("GET /a", feed("A", 10...12))
      LoopbackRoute("GET /missing", .status(404))
    }
    defer { server.stop() }
    let page = workplace.folder.appending(path: "loads.html")

    let end = try await workplace.run(
      "--inspect", page.path, server.url("/a").absoluteString,
      server.url("/missing").absoluteString)

    #expect(end.status == 1)
    let html = try String(contentsOf: page, encoding: .utf8)
    #expect(html.contains(#""target":"\/a""#) || html.contains(#""target":"/a""#))
    #expect(html.contains("404 Not Found"))
  }
}
