import Foundation
import ResourceLoading
import ResourceStore
import ResourceTesting
import TestSupport
import Testing

@testable import feeds

/// The built program with files that can't be used.
@Suite(.inTurn, .serialized, .timeLimit(.minutes(10)))
struct BrokenLibraryTests {
  private let workplace: Workplace

  init() throws { workplace = try Workplace() }

  @Test func `a file that isn't a library is reported and left unchanged`() async throws {
    let letter = Data("This is a letter. ".utf8) + Data(count: 5000)
    try letter.write(to: workplace.database)

    let end = try await workplace.run("--offline")

    #expect(end.status == 1)
    #expect(end.output.isEmpty)
    #expect(end.errors.contains("isn't a SQLite database"))
    #expect(try Data(contentsOf: workplace.database) == letter)
  }

  @Test func `a folder that can't be created is reported`() async throws {
    try Data().write(to: workplace.folder.appending(path: "file"))

    let path = workplace.folder.appending(path: "file/kept.sqlite").path
    let end = try await RunningProgram(["--database", path, "--offline"], in: workplace).end()

    #expect(end.status == 1)
    #expect(end.errors.hasPrefix("✗ feeds\n"))
  }

  @Test func `while another process writes, kept items are listed and the failure is reported`()
    async throws
  {
    let server = try LoopbackServer {
      LoopbackRoute("GET /a", .json(#"{"title": "A", "items": [{"id": "1", "title": "One"}]}"#))
    }
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

    #expect(end.status == 1)
    #expect(end.errors.contains("another process is using the database"))
    #expect(end.output.contains("One"))
    await #expect(throws: CancellationError.self) { try await writing.value }
    #expect(try await store.count(KeptItem.self) == 1)
  }
}
