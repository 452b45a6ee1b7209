import Dispatch
import Foundation
import ResourceLoading
import ResourcePrimitives
import ResourceTesting
import Synchronization
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite(.inTurn, .serialized, .timeLimit(.minutes(30)))
struct KilledPartsTests {
  private static let content = Data(
    (0..<16_000_000).map { UInt8(truncatingIfNeeded: $0 &* 41 >> 5) })

  /// The part of the record beside a partial file that this test checks.
  private struct Record: Decodable {
    var written: [Range<Int>]
  }

  @Test(arguments: Engine.allCases)
  func `what the record says is on the disk, whenever the process is killed`(
    _ engine: Engine
  ) async throws {
    // Slow enough that the file is recorded several times.
    let server = try LoopbackServer {
      LoopbackRoute("*") { request in
        var answer = RangeServer.answer(request, Self.content)
        answer.interval = .milliseconds(8)
        return answer.script
      }
    }
    defer { server.stop() }
    let directory = TemporaryDirectory()
    let (url, file) = (server.url("/f"), directory.url.appending(path: "f"))
    let part = directory.url.appending(path: "f.part")
    let kills = Int(ProcessInfo.processInfo.environment["RESOURCE_LOADING_KILLS"] ?? "") ?? 6
    var random = SeededGenerator(seed: 11)
    var most = 0

    for _ in 0..<kills {
      let share = Double.random(in: 0...1, using: &random)
      let turns = Int.random(in: 0..<200_000, using: &random)
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [
          engine, url = url as URL, file = file as URL, share = share as Double,
          turns = turns as Int
        ]
        in
        Watchdog.endsProcess()
        let isBegun = Mutex(false)
        let resource = Resource.download(.get(url), to: file) { $0.parts = 3 }
          .onProgress { step in
            guard Double(step.completed) >= share * Double(step.total ?? 0),
              isBegun.withLock({ $0.becomesTrue() })
            else { return }
            Thread {
              for _ in 0..<turns { _ = DispatchTime.now() }
              kill(getpid(), SIGKILL)
            }.start()
          }
        _ = try await Client(engine).load(resource)
        while true { pause() }
      }
      // A file that is there is whole.
      if let whole = try? Data(contentsOf: file) {
        #expect(whole == Self.content)
        try FileManager.default.removeItem(at: file)
      }
      // Bytes that are recorded are the right ones.
      let record = try? JSONDecoder().decode(
        Record.self, from: Data(contentsOf: directory.url.appending(path: "f.part.json")))
      guard let record, let bytes = try? Data(contentsOf: part) else { continue }
      #expect(bytes.count == Self.content.count)
      for range in record.written { #expect(bytes[range] == Self.content[range]) }
      most = max(most, record.written.reduce(0) { $0 + $1.count })
    }
    let download = try await Client(engine).load(
      .download(.get(url), to: file) { $0.parts = 3 })

    #expect(most > 0)
    #expect(try Data(contentsOf: file) == Self.content)
    #expect(try directory.names == ["f"])
    #expect(download.size == Self.content.count)
  }
}

extension Bool {
  /// Makes it true.
  ///
  /// - Returns: Whether it was false.
  fileprivate mutating func becomesTrue() -> Bool {
    defer { self = true }
    return !self
  }
}
