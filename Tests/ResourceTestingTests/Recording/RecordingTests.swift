import Foundation
import ResourceLoading
import TestSupport
import Testing

@testable import ResourceTesting

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite(.inTurn, .timeLimit(.minutes(10)))
struct RecordingTests {
  private let folder: TemporaryFolder
  private let stub = StubTransport()

  init() throws {
    folder = try TemporaryFolder()
    stub.stub("*", .json("1"), .json("2"), .json("3"))
  }

  private func load(_ path: String, over recording: Recording) async throws -> String {
    let url = try #require(URL(string: "https://a.example\(path)"))
    return try await Client { $0.transport = recording }.load(.text(url))
  }

  private func recording(_ mode: Recording.Mode) throws -> Recording {
    try Recording(folder.file().path, mode: mode, over: stub)
  }

  @Test func `a recorded exchange is played afterwards`() async throws {
    #expect(try await load("/a", over: recording(.record)) == "1")

    for _ in 0..<2 { #expect(try await load("/a", over: recording(.playback)) == "1") }

    #expect(stub.requests.count == 1)
  }

  @Test func `a missing folder is created when it is recorded, and not when it is played`()
    async throws
  {
    let file = folder.file("Fixtures/github/a.har")
    #expect(throws: LoadError.self) { try Recording(file.path, mode: .playback, over: stub) }
    #expect(!FileManager.default.fileExists(atPath: folder.file("Fixtures").path))

    #expect(try await load("/a", over: Recording(file.path, mode: .record, over: stub)) == "1")

    #expect(try await load("/a", over: Recording(file.path, mode: .playback, over: stub)) == "1")
  }

  @Test func `a folder that can't be created is named`() throws {
    try Data().write(to: folder.file("Fixtures"))

    let error = #expect(throws: LoadError.self) {
      try Recording(folder.file("Fixtures/a.har").path, mode: .record, over: stub)
    }

    #expect(error?.kind == .file)
    #expect(error?.reason.contains("Fixtures/ can't be created") == true, "\(error?.reason ?? "")")
  }

  @Test func `missing exchanges are recorded, and the others stay`() async throws {
    _ = try await load("/a", over: recording(.record))
    let missing = try recording(.recordMissing)

    #expect(try await load("/a", over: missing) == "1")
    #expect(try await load("/b?token=secret-1234", over: missing) == "2")
    #expect(missing.unplayed.isEmpty)

    let archive = try HTTPArchive(contentsOf: folder.file())
    #expect(
      archive.entries.map(\.request.url)
        == ["https://a.example/a", "https://a.example/b?token=redacted-1"])
    #expect(stub.requests.count == 2)
    // A new secret in a later run gets another stand-in.
    #expect(try await load("/c?token=secret-5678", over: recording(.recordMissing)) == "3")
    #expect(
      try HTTPArchive(contentsOf: folder.file()).entries.last?.request.url
        == "https://a.example/c?token=redacted-2")
  }

  @Test func `a secret of digits in a later run gets another stand-in`() async throws {
    #expect(try await load("/a?pin=12345678", over: recording(.record)) == "1")

    #expect(try await load("/b?pin=87654321", over: recording(.recordMissing)) == "2")

    let archive = try HTTPArchive(contentsOf: folder.file())
    #expect(
      archive.entries.map(\.request.url)
        == ["https://a.example/a?pin=900000001", "https://a.example/b?pin=900000002"])
  }

  @Test func `the comment of another program's file is kept without its secrets`() async throws {
    let other =
      #"{"log": {"creator": {"name": "x"}, "comment": "for token=planted-1234", "entries": []}}"#
    try Data(other.utf8).write(to: folder.file())

    #expect(try await load("/a", over: recording(.recordMissing)) == "1")

    #expect(try HTTPArchive(contentsOf: folder.file()).comment == "for token=redacted-1")
  }

  @Test func `without a file, every exchange is missing`() async throws {
    #expect(try await load("/a", over: recording(.recordMissing)) == "1")
    #expect(try HTTPArchive(contentsOf: folder.file()).entries.count == 1)
  }

  @Test func `recording again replaces the file`() async throws {
    _ = try await load("/a", over: recording(.record))
    _ = try await load("/b", over: recording(.record))

    #expect(
      try HTTPArchive(contentsOf: folder.file()).entries.map(\.request.url) == [
        "https://a.example/b"
      ])
  }

  @Test func `a failure says how to record again`() async throws {
    let none = #expect(throws: LoadError.self) { try recording(.playback) }
    _ = try await load("/a", over: recording(.record))
    let missing = await #expect(throws: LoadError.self) {
      try await load("/b", over: recording(.playback))
    }

    #expect(none?.kind == .file)
    #expect(none?.advice?.contains("RESOURCE_RECORDING=record in the environment") == true)
    #expect(missing?.kind == .notRecorded)
    #expect(missing?.description.contains("RESOURCE_RECORDING=recordMissing") == true)
  }

  @Test func `the environment chooses the mode`() throws {
    #expect(try Recording.environmentMode([:]) == .playback)
    #expect(try Recording.environmentMode(["RESOURCE_RECORDING": ""]) == .playback)
    #expect(try Recording.environmentMode(["RESOURCE_RECORDING": "record"]) == .record)
    #expect(
      try Recording.environmentMode(["RESOURCE_RECORDING": "recordMissing"]) == .recordMissing)
    let error = #expect(throws: LoadError.self) {
      try Recording.environmentMode(["RESOURCE_RECORDING": "yes"])
    }
    #expect(error?.reason == "RESOURCE_RECORDING is \"yes\", which isn't a mode")
  }

  @Test func `requests of the caller's own session are recorded`() async throws {
    let server = try LoopbackServer { LoopbackRoute("GET /", .response(body: "live")) }
    let session = URLSession(configuration: .ephemeral)
    defer { session.invalidateAndCancel() }
    let path = folder.file().path
    func load(_ mode: Recording.Mode) async throws -> String {
      let transport = URLSessionTransport(session: session)
      let recording = try Recording(path, mode: mode, over: transport)
      return try await Client { $0.transport = recording }.load(.text(server.url()))
    }

    let live = try await load(.record)
    server.stop()

    #expect(live == "live")
    #expect(try await load(.playback) == "live")
  }

  @Test func `a relative path is resolved in the folder of the test`() throws {
    let recording = try Recording(
      "Fixtures/x.har", mode: .record, over: stub, relativeTo: "/tests/A.swift")

    #expect(recording.file.path == "/tests/Fixtures/x.har")
  }

  @Test func `recordings share no state, so tests can run in parallel`() async throws {
    try await withThrowingTaskGroup(of: String.self) { group in
      for number in 0..<20 {
        let stub = StubTransport()
        stub.stub("*", .json("\(number)"))
        let file = folder.file("\(number).har").path
        group.addTask {
          let recorded = try await load("/", over: Recording(file, mode: .record, over: stub))
          let played = try await load("/", over: Recording(file, mode: .playback))
          return recorded == "\(number)" ? played : "mixed up"
        }
      }
      let texts = try await group.reduce(into: Set<String>()) { $0.insert($1) }
      #expect(texts == Set((0..<20).map { "\($0)" }))
    }
  }
}
