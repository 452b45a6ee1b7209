import Foundation
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite(.inTurn, .serialized, .timeLimit(.minutes(10)))
struct KilledDownloadTests {
  private static let content = Data(
    (0..<2_000_000).map { UInt8(truncatingIfNeeded: $0 &* 17 >> 4) })

  private func makeServer() throws -> LoopbackServer {
    try LoopbackServer {
      LoopbackRoute("*") { request in
        let first = request.header("Range").flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
        let rest = Self.content[first...]
        let total = Self.content.count
        let line = first == 0 ? "200 OK" : "206 Partial Content"
        return [
          .bytes("HTTP/1.1 \(line)\r\nETag: \"v1\"\r\nContent-Length: \(rest.count)\r\n"),
          .bytes("Content-Range: bytes \(first)-\(total - 1)/\(total)\r\n\r\n"), .bytes(rest),
        ]
      }
    }
  }

  @Test(arguments: Engine.allCases)
  func `a download that is killed again and again becomes the identical file`(
    _ engine: Engine
  ) async throws {
    let server = try makeServer()
    defer { server.stop() }
    let directory = TemporaryDirectory()
    let (url, file) = (server.url("/f"), directory.url.appending(path: "f"))
    var random = SeededGenerator(seed: 5)
    let kills = Int(ProcessInfo.processInfo.environment["RESOURCE_LOADING_KILLS"] ?? "") ?? 4
    let points = (0..<kills).map { _ in Int.random(in: 1..<Self.content.count, using: &random) }

    for point in points.sorted() {
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [engine, url = url as URL, file = file as URL, point = point as Int] in
        Watchdog.endsProcess()
        let resource = Resource.download(url, to: file, resuming: true).onProgress { step in
          if step.completed >= point { kill(getpid(), SIGKILL) }
        }
        _ = try await Client(engine).load(resource)
      }
    }
    let there = try Data(contentsOf: directory.url.appending(path: "f.part")).count
    let download = try await Client(engine).load(.download(url, to: file, resuming: true))

    #expect(try Data(contentsOf: file) == Self.content)
    #expect(try directory.names == ["f"])
    // No stored byte is requested again.
    #expect(download.resumedSize == there)
    #expect(there >= points.max() ?? 0)
    #expect(server.requests.count == kills + 1)
  }

  @Test(arguments: Engine.allCases, [false, true])
  func `downloads that are killed leave at most one part and one record`(
    _ engine: Engine, _ resuming: Bool
  ) async throws {
    let server = try makeServer()
    defer { server.stop() }
    let directory = TemporaryDirectory()
    let (url, file) = (server.url("/f"), directory.url.appending(path: "f"))

    for _ in 0..<3 {
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [engine, url = url as URL, file = file as URL, resuming = resuming as Bool] in
        Watchdog.endsProcess()
        let resource = Resource.download(url, to: file, resuming: resuming).onProgress { _ in
          kill(getpid(), SIGKILL)
        }
        _ = try await Client(engine).load(resource)
      }
      #expect(try directory.names == (resuming ? ["f.part", "f.part.json"] : [".f.part"]))
    }
    _ = try await Client(engine).load(.download(url, to: file, resuming: resuming))

    #expect(try directory.names == ["f"])
    #expect(try Data(contentsOf: file) == Self.content)
  }
}
