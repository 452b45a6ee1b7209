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
  func
    `what the record says is on the disk, and little is loaded again, whenever a process is killed`(
      _ engine: Engine
    ) async throws
  {
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
    // Of another folder, so that only the download is in the first.
    let counts = TemporaryDirectory()
    let count = counts.url.appending(path: "count")
    let wanted = Int(ProcessInfo.processInfo.environment["RESOURCE_LOADING_KILLS"] ?? "")
    let kills = wanted ?? 6
    var random = SeededGenerator(seed: 11)
    var most = 0
    var lost: [Int] = []

    for _ in 0..<kills {
      let share = Double.random(in: 0...1, using: &random)
      let turns = Int.random(in: 0..<200_000, using: &random)
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [
          engine, url = url as URL, file = file as URL, share = share as Double,
          turns = turns as Int, count = count as URL
        ]
        in
        Watchdog.endsProcess()
        let isBegun = Mutex(false)
        let counter = unsafe open(count.path, O_WRONLY | O_CREAT, 0o600)
        let resource = Resource.download(.get(url), to: file) { $0.parts = 3 }
          .onProgress { step in
            _ = unsafe withUnsafeBytes(of: step.completed) { bytes in
              unsafe pwrite(counter, bytes.baseAddress, bytes.count, 0)
            }
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
      guard let record, let written = try? Data(contentsOf: part) else { continue }
      #expect(written.count == Self.content.count)
      for range in record.written { #expect(written[range] == Self.content[range]) }
      let recorded = record.written.reduce(0) { $0 + $1.count }
      most = max(most, recorded)
      let bytes = try Data(contentsOf: count)
      lost.append(max(0, unsafe bytes.withUnsafeBytes { unsafe $0.load(as: Int.self) } - recorded))
    }
    // At most a part for each connection is loaded again.
    let parts = server.requests.compactMap { $0.header("Range").map(Self.length) }
    #expect(lost.max() ?? 0 <= 3 * (parts.max() ?? 0))
    if wanted != nil {
      print(
        "\(engine): \(kills) kills, bytes to load again at most \(lost.max() ?? 0), on average",
        lost.reduce(0, +) / max(1, lost.count), "- the longest part \(parts.max() ?? 0)")
    }
    let download = try await Client(engine).load(
      .download(.get(url), to: file) { $0.parts = 3 })

    #expect(most > 0)
    #expect(try Data(contentsOf: file) == Self.content)
    #expect(try directory.names == ["f"])
    #expect(download.size == Self.content.count)
  }
}

extension KilledPartsTests {
  /// The length of `bytes=0-9`.
  private static func length(_ range: String) -> Int {
    let ends = range.dropFirst(6).split(separator: "-").compactMap { Int($0) }
    return ends.count == 2 ? ends[1] - ends[0] + 1 : 0
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
