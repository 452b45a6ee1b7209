import Foundation
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

@Suite(.inTurn, .serialized, .timeLimit(.minutes(10)))
struct EndingTests {
  /// The number of runs, which the environment variable `RESOURCE_LOADING_ENDINGS` can set.
  private static let rounds =
    Int(ProcessInfo.processInfo.environment["RESOURCE_LOADING_ENDINGS"] ?? "") ?? 8

  @Test(arguments: Engine.allCases)
  func `a program exits cleanly right after releasing clients`(_ engine: Engine) async throws {
    let server = try LoopbackServer { LoopbackRoute("*", .json("[1]")) }
    defer { server.stop() }
    let url = server.url("/n")

    for _ in 0..<Self.rounds {
      await #expect(processExitsWith: .exitCode(7)) {
        [engine, url = url as URL] in
        Watchdog.endsProcess()
        for _ in 0..<8 {
          let client = Client(engine)
          let numbers: [Int] = try await client.load(Resource(json: url))
          #expect(numbers == [1])
        }
        exit(7)
      }
    }
  }

  @Test(arguments: Engine.allCases)
  func `a program with running loads exits cleanly and immediately`(_ engine: Engine) async throws {
    let server = try LoopbackServer {
      LoopbackRoute("/never", .silence)
      LoopbackRoute("/endless", [.head(headers: ["Connection": "close"]), .repeatForever("x")])
    }
    defer { server.stop() }
    let urls = [server.url("/never"), server.url("/endless")]

    for round in 0..<Self.rounds {
      await #expect(processExitsWith: .exitCode(7)) {
        [engine, urls = urls as [URL], round = round as Int] in
        Watchdog.endsProcess()
        let clients = (0..<8).map { _ in Client(engine) }
        for client in clients {
          for url in urls { client.load(Resource.data(url)) { _ in } }
        }
        usleep(UInt32(round * 997 % 5_000))
        exit(7)
      }
    }
  }
}
