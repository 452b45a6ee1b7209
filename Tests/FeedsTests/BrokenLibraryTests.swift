import Foundation
import ResourceLoading
import ResourceStore
import ResourceTesting
import TestSupport
import Testing

@testable import feeds

/// The built program on files that can't be used.
@Suite(.inTurn, .serialized, .timeLimit(.minutes(10)))
struct BrokenLibraryTests {
  private let workplace: Workplace

  init() throws { workplace = try Workplace() }

  private func makeServer(_ count: Int = 3) throws -> LoopbackServer {
    let items = (1...count).map {
      #"{"id": "\#($0)", "content_text": "\#("long ".repeated(100))"}"#
    }
    let feed = #"{"title": "A", "items": [\#(items.joined(separator: ","))]}"#
    return try LoopbackServer { LoopbackRoute("GET /a", .json(feed)) }
  }

  @Test func `a file that is no library is reported and left unchanged`() async throws {
    let letter = Data("This is a letter. ".utf8) + Data(count: 5000)
    try letter.write(to: workplace.database)

    let end = try await workplace.run("--list")

    #expect(end.status == 74)
    #expect(end.output.isEmpty)
    #expect(end.errors.hasPrefix("✗ the library, \(workplace.database.path)\n"))
    #expect(end.errors.contains("isn't a SQLite database"))
    #expect(try Data(contentsOf: workplace.database) == letter)
  }

  @Test func `a library of a newer program isn't opened`() async throws {
    var settings = SQLiteSettings()
    settings.schemaVersion = Library.schemaVersion + 1
    let store = try await SQLiteStore(file: workplace.database, settings: settings)
    await store.close()

    let end = try await workplace.run("--list")

    #expect(end.status == 74)
    #expect(end.errors.contains("was written by a newer program"))
  }

  @Test func `a folder that can't be made is reported`() async throws {
    try Data().write(to: workplace.folder.appending(path: "file"))

    let path = workplace.folder.appending(path: "file/kept.sqlite").path
    let end = try await RunningProgram(["--database", path, "--list"], in: workplace).end()

    #expect(end.status == 74)
    #expect(end.errors.hasPrefix("✗ the library, \(path)\n"))
  }

  @Test func `while another process writes, kept items are listed and the failure is reported`()
    async throws
  {
    let server = try makeServer()
    defer { server.stop() }
    let url = server.url("/a").absoluteString
    _ = try await workplace.run(url)
    let store = try await SQLiteStore(file: workplace.database)
    let (begun, beginning) = AsyncStream.makeStream(of: Void.self)
    let gate = DispatchSemaphore(value: 0)
    let writing = Task {
      try await store.transaction { transaction in
        try transaction.delete(KeptItem.self, where: .all)
        beginning.finish()
        gate.wait()
        throw CancellationError()
      }
    }
    for await _ in begun {}

    let end = try await workplace.run(url)
    gate.signal()

    #expect(end.status == 74)
    #expect(end.errors.contains("another process is using the database"))
    #expect(end.output.contains("long long"))
    await #expect(throws: CancellationError.self) { try await writing.value }
    #expect(try await store.count(KeptItem.self) == 3)
  }

  @Test func `a full disk is reported, and earlier items are kept`() async throws {
    guard let disk = SmallDisk() else {
      withKnownIssue("no small disk can be made here") { Issue.record("skipped") }
      return
    }
    let (few, many) = (try makeServer(3), try makeServer(2000))
    defer { few.stop() }
    defer { many.stop() }
    let file = ["--database", disk.url.appending(path: "kept.sqlite").path]
    func run(_ words: String...) async throws -> RunningProgram.End {
      try await RunningProgram(file + words, in: workplace).end()
    }
    _ = try await run(few.url("/a").absoluteString)

    let end = try await run(many.url("/a").absoluteString)

    #expect(end.status == 74)
    #expect(end.errors.contains("there is no room for more"))
    #expect(try await run("--list").output.contains("3 items"))
    #expect(disk.makeReadOnly())
    // SQLite needs to write beside the file even to read it.
    let reading = try await run("--offline")
    #expect(reading.status == 74)
    #expect(reading.errors.contains("hint: Check that its folder exists and is writable"))
  }
}

extension String {
  fileprivate func repeated(_ count: Int) -> String { String(repeating: self, count: count) }
}
