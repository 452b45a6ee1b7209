import Foundation
import ResourcePrimitives
import ResourceTesting
import Synchronization
import TestSupport
import Testing

@testable import ResourceLoading

@Suite(.inTurn, .timeLimit(.minutes(10)))
struct DownloadsTests {
  private let directory = TemporaryDirectory()

  private func manifest(
    _ server: LoopbackServer, _ count: Int, parts: DownloadOptions.Parts = 1
  ) -> [Resource<Download>] {
    (0..<count).map { number in
      .download(.get(server.url("/\(number)")), to: directory.url.appending(path: "\(number)")) {
        $0.parts = parts
        $0.size = RangeServer.content.count
      }
    }
  }

  @Test(arguments: [1, 3] as [DownloadOptions.Parts])
  func `a set is downloaded with one progress that never goes back`(
    _ parts: DownloadOptions.Parts
  ) async throws {
    let server = try RangeServer.start()
    defer { server.stop() }
    let steps = Mutex<[DownloadsProgress]>([])

    let files = Client().downloads(manifest(server, 5, parts: parts), maximumConcurrency: 2)
      .onProgress { step in steps.withLock { $0.append(step) } }
    var indices: [Int] = []
    for await (index, result) in files {
      #expect(try result.get().size == RangeServer.content.count)
      indices.append(index)
    }

    #expect(indices.sorted() == Array(0..<5))
    #expect(try directory.names == ["0", "1", "2", "3", "4"])
    let told = steps.withLock(\.self)
    #expect(told.map(\.bytes) == told.map(\.bytes).sorted())
    #expect(told.compactMap(\.fraction) == told.compactMap(\.fraction).sorted())
    #expect(told.last?.bytes == 5 * RangeServer.content.count)
    #expect(told.last?.totalBytes == 5 * RangeServer.content.count)
    #expect(told.last?.completed == 5)
    #expect(told.last?.fraction == 1)
  }

  @Test func `a file that fails doesn't stop the others, and the set continues where it ended`()
    async throws
  {
    let isBroken = Mutex(true)
    let server = try RangeServer.start { answer, request, _ in
      guard isBroken.withLock(\.self), request.path == "/1" else { return }
      answer.limit = 1_000_000
    }
    defer { server.stop() }
    let last = Mutex<DownloadsProgress?>(nil)

    var failed: [Int] = []
    let first = Client().downloads(manifest(server, 3)).onProgress { step in
      last.withLock { $0 = step }
    }
    for await (index, result) in first { if (try? result.get()) == nil { failed.append(index) } }
    isBroken.withLock { $0 = false }
    let before = server.requests.count
    var resumed: [Int] = []
    for await (_, result) in Client().downloads(manifest(server, 3)) {
      resumed.append(try result.get().resumedSize)
    }

    #expect(failed == [1])
    let progress = last.withLock(\.self)
    #expect(progress?.failed == 1)
    #expect(progress?.completed == 2)
    #expect(progress?.fraction == 1)
    // Only what was missing.
    #expect(server.requests.dropFirst(before).map(\.path) == ["/1"])
    #expect(resumed.max() == 1_000_000)
    #expect(try directory.names == ["0", "1", "2"])
  }

  @Test func `leaving the loop cancels the rest`() async throws {
    let server = try RangeServer.start { answer, request, _ in
      if request.path != "/0" { (answer.limit, answer.isSilentAtLimit) = (10, true) }
    }
    defer { server.stop() }

    for await (index, _) in Client().downloads(manifest(server, 6), maximumConcurrency: 3) {
      #expect(index == 0)
      break
    }

    try await server.waitForDisconnects(count: 2)
    #expect(Set(server.requests.map(\.path)).count <= 4)
  }

  @Test func `the rate is that of the last seconds, and the time left follows from it`() {
    var tally = DownloadsTally(sizes: [10_000_000, nil])

    tally.note(1_000_000, of: nil, for: 0, at: .zero)
    #expect(tally.progress.totalBytes == nil)
    #expect(tally.progress.timeLeft == nil)
    for second in 1...8 {
      tally.note(1_000_000 + second * 500_000, of: nil, for: 0, at: .seconds(second))
    }
    tally.note(0, of: 4_000_000, for: 1, at: .seconds(8))
    tally.note(1, of: 4_000_000, for: 1, at: .seconds(8))

    #expect(abs(tally.progress.rate - 500_000) < 1)
    #expect(tally.progress.totalBytes == 14_000_000)
    let left = tally.progress.timeLeft?.seconds ?? 0
    #expect(abs(left - 18) < 0.1)
  }

  @Test func `sizes that no file has do no harm`() {
    var tally = DownloadsTally(sizes: [nil, nil])

    for index in 0...1 { tally.note(1, of: .max, for: index, at: .zero) }
    tally.note(2, of: .max, for: 0, at: .seconds(100))

    #expect(tally.progress.totalBytes == .max)
    #expect(tally.progress.rate == 0.01)
    #expect(tally.progress.timeLeft?.seconds ?? 0 > 1e9)
  }

  @Test func `bytes of earlier loads don't count for the rate`() {
    var tally = DownloadsTally(sizes: [10_000_000])

    tally.note(9_000_000, of: nil, for: 0, at: .zero)
    tally.note(9_100_000, of: nil, for: 0, at: .seconds(1))

    #expect(tally.progress.rate == 100_000)
  }
}
