import Foundation
import ResourceLoading
import ResourceTesting
import ResourceTracing
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The file to which spans are appended.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct SpanFileTests {
  private let path = FileManager.default.temporaryDirectory.appending(path: "spans-\(UUID()).jsonl")

  private static func record(_ loads: Int, to recorder: any SpanRecorder) async throws {
    let transport = StubTransport()
    transport.stub("*", .json("1"))
    let client = Client {
      $0.transport = transport
      $0.tracer = SpanTracer(recorder)
    }
    let url = try #require(URL(string: "https://api.example.org/"))
    for _ in 0..<loads { _ = try await client.load(.void(url)) }
  }

  @Test func `each line is a document, and an existing file is appended to`() async throws {
    defer { try? FileManager.default.removeItem(at: path) }
    for _ in 0..<2 {
      let file = try SpanFile(path, service: "test")
      try await Self.record(1, to: file)
      await file.flush()
      try await Self.record(2, to: file)
      await file.shutDown()
      #expect(file.counts.exported == 6)
    }

    let lines = try Data(contentsOf: path).split(separator: UInt8(ascii: "\n"))
    #expect(try lines.map { try CollectedSpan.all(in: Data($0)).count } == [2, 4, 2, 4])
    let attributes = try FileManager.default.attributesOfItem(atPath: path.path())
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  @Test func `a line that a killed program didn't finish doesn't corrupt the next one`()
    async throws
  {
    defer { try? FileManager.default.removeItem(at: path) }
    try Data(#"{"resourceSpans":["#.utf8).write(to: path)
    for _ in 0..<2 {
      let file = try SpanFile(path, service: "test")
      try await Self.record(1, to: file)
      await file.shutDown()
    }

    let lines = try Data(contentsOf: path)
      .split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    #expect(lines.count == 4 && lines.last?.isEmpty == true)
    #expect(
      try lines.dropFirst().dropLast().map { try CollectedSpan.all(in: Data($0)).count } == [2, 2])
  }

  @Test func `spans beyond the maximum size are dropped and counted`() async throws {
    defer { try? FileManager.default.removeItem(at: path) }
    let file = try SpanFile(path, service: "test", maximumSize: 2000)

    for _ in 0..<3 {
      try await Self.record(1, to: file)
      await file.flush()
    }

    #expect(file.counts.exported == 2 && file.counts.rejected == 4)
    #expect(try Data(contentsOf: path).count <= 2000)
  }

  @Test func `a partially written line is removed`() async throws {
    // The limit applies to the whole process, so it is set in a separate one.
    await #expect(processExitsWith: .success) { [path = path as URL] in
      Watchdog.endsProcess()
      defer { try? FileManager.default.removeItem(at: path) }
      signal(SIGXFSZ, SIG_IGN)
      #if canImport(Glibc)
        let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
      #else
        let resource = RLIMIT_FSIZE
      #endif
      var limit = rlimit()
      getrlimit(resource, &limit)
      let unlimited = limit.rlim_cur
      let file = try SpanFile(path, service: "test")
      for size in [unlimited, 2000, unlimited] {
        limit.rlim_cur = size
        setrlimit(resource, &limit)
        try await SpanFileTests.record(1, to: file)
        await file.flush()
      }

      let lines = try Data(contentsOf: path).split(separator: UInt8(ascii: "\n"))
      guard file.counts.exported == 4, file.counts.rejected == 2,
        try lines.map({ try CollectedSpan.all(in: Data($0)).count }) == [2, 2]
      else { throw CocoaError(.fileReadCorruptFile) }
    }
  }

  @Test func `a link, a folder and a file that another program is writing are refused`() throws {
    let link = path.appendingPathExtension("link")
    defer { for file in [path, link] { try? FileManager.default.removeItem(at: file) } }
    let file = try SpanFile(path, service: "test")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: path)

    #expect(throws: LoadError.self) { try SpanFile(path, service: "test") }
    #expect(throws: LoadError.self) { try SpanFile(link, service: "test") }
    #expect(throws: LoadError.self) {
      try SpanFile(FileManager.default.temporaryDirectory, service: "test")
    }
    withExtendedLifetime(file) {}
  }
}
