import Foundation
import PromiseModule
import ResourceLoading
import ResourcePrimitives
import ResourceTesting
import Synchronization
import TestSupport
import Testing

/// Downloads that resume a part which is complete already, so that the server answers 416.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct CompletePartTests {
  private let directory = TemporaryDirectory()
  private var file: URL { directory.url.appending(path: "file.bin") }
  private static let content = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
  private static let head = "HTTP/1.1 416 No\r\nContent-Range: bytes */300000\r\n"

  /// Answers with one script after another, and in the end always with the last.
  private func makeServer(_ scripts: Script...) throws -> LoopbackServer {
    let rest = Mutex(scripts)
    return try LoopbackServer {
      LoopbackRoute("*") { _ in
        rest.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
      }
    }
  }

  private func leavePart(of url: URL) throws {
    try Self.content.write(to: directory.url.appending(path: "file.bin.part"))
    let hash = SecureHash.hexadecimal(SecureHash.sha256(url.absoluteString.utf8))
    let record = #"{"urlHash": "\#(hash)", "validator": "\"v1\"", "total": 300000}"#
    try Data(record.utf8).write(to: directory.url.appending(path: "file.bin.part.json"))
  }

  private static let broken: Script = [
    .bytes(head + "Content-Length: 10\r\n\r\nabc"), .close,
  ]

  @Test(arguments: Engine.allCases)
  func `a 416 whose body breaks puts nothing in place and loses nothing`(_ engine: Engine)
    async throws
  {
    let server = try makeServer(Self.broken)
    defer { server.stop() }
    try leavePart(of: server.url("/"))
    try Data("old".utf8).write(to: file)

    let error = await #expect(throws: LoadError.self) {
      try await Client(engine).load(.download(server.url("/"), to: file, resuming: true))
    }

    #expect(error?.kind == .connection)
    #expect(try Data(contentsOf: file) == Data("old".utf8))
    #expect(try directory.names == ["file.bin", "file.bin.part", "file.bin.part.json"])
  }

  @Test(arguments: Engine.allCases)
  func `a retry after a 416 whose body breaks completes the download`(_ engine: Engine)
    async throws
  {
    let server = try makeServer(Self.broken, [.bytes(Self.head + "Content-Length: 3\r\n\r\nabc")])
    defer { server.stop() }
    try leavePart(of: server.url("/"))
    let client = Client(engine) { $0.middleware = [RetryMiddleware(.init(backoff: .none))] }

    let download = try await client.load(.download(server.url("/"), to: file, resuming: true))

    #expect(download.resumedSize == Self.content.count)
    #expect(try Data(contentsOf: file) == Self.content)
    #expect(try directory.names == ["file.bin"])
    #expect(server.requests.map { $0.header("Range") } == ["bytes=300000-", "bytes=300000-"])
  }

  /// 1 MiB is read of the body of an error.
  @Test(arguments: Engine.allCases)
  func `a 416 whose body is long isn't read to its end`(_ engine: Engine) async throws {
    let server = try makeServer([
      .bytes(Self.head + "Content-Length: 10000000\r\n\r\n"), .bytes(Data(count: 2 << 20)),
      .silence,
    ])
    defer { server.stop() }
    try leavePart(of: server.url("/"))

    let download = try await Client(engine).load(
      .download(server.url("/"), to: file, resuming: true))

    #expect(download.size == Self.content.count)
    #expect(try Data(contentsOf: file) == Self.content)
    #expect(try directory.names == ["file.bin"])
  }

  @Test(arguments: Engine.allCases)
  func `the body of a 416 isn't written, even where 416 is accepted`(_ engine: Engine) async throws
  {
    let server = try makeServer([.bytes(Self.head + "Content-Length: 3\r\n\r\nabc")])
    defer { server.stop() }
    try leavePart(of: server.url("/"))
    let request = Request(url: server.url("/")).acceptedStatuses(.any)
    let steps = Mutex<[TransferProgress]>([])

    let download = try await Client(engine).load(
      Resource.download(request, to: file, resuming: true).onProgress { step in
        steps.withLock { $0.append(step) }
      })

    #expect(download.size == Self.content.count)
    #expect(try Data(contentsOf: file) == Self.content)
    #expect(steps.withLock(\.self).allSatisfy { $0.completed <= Self.content.count })
  }
}
