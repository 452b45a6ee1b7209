import StoreTestSupport

#if os(Linux)
  import Foundation
  import ResourceStore
  import TestSupport
  import Testing

  /// The memory for iterating over a large table.
  @Suite(.inTurn, .timeLimit(.minutes(10)))
  struct LargeTableTests {
    /// 40,000, or `RESOURCE_STORE_ROWS`.
    static let count =
      ProcessInfo.processInfo.environment["RESOURCE_STORE_ROWS"].flatMap { Int($0) } ?? 40_000

    // In a separate process, because the peak includes everything that runs.
    @Test(.enabled(if: Peak.canBeForgotten, "needs /proc/self/clear_refs"))
    func `an iteration over many rows needs no more memory, unlike an array`() async throws {
      let database = try Database()
      let path = database.file.path(percentEncoded: false)
      await #expect(processExitsWith: .success) {
        [path = path as String, count = Self.count as Int] in
        Watchdog.endsProcess()
        let store = try await SQLiteStore(file: URL(filePath: path))
        let text = String(repeating: "x", count: 100)
        for start in stride(from: 0, to: count, by: 10_000) {
          try await store.insert(
            (start..<min(count, start + 10_000)).map { Entry(id: $0, text: text) })
        }

        let walked = try await Peak.growth {
          var number = 0
          for try await row in store.rows(of: Entry.self) where row.text == text { number += 1 }
          #expect(number == count)
        }
        let held = try await Peak.growth {
          let rows: [Entry] = try await store.select()
          #expect(rows.count == count)
        }

        // The output of a separate process isn't shown.
        let figures = "\(count) rows: a walk \(walked >> 10) KiB, holding them \(held >> 10) KiB"
        try figures.write(toFile: path + ".figures", atomically: false, encoding: .utf8)
        #expect(walked < 8 << 20)
        #expect(held > count * 100)
      }
      print(try String(contentsOfFile: path + ".figures", encoding: .utf8))
    }
  }

  /// The peak memory of this process.
  private enum Peak {
    static let canBeForgotten = FileManager.default.isWritableFile(atPath: "/proc/self/clear_refs")

    /// The growth of the peak in bytes.
    static func growth(_ body: () async throws -> Void) async throws -> Int {
      // Resets the peak (proc(5)).
      try "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)
      let before = try figure("VmRSS")
      try await body()
      return try figure("VmHWM") - before
    }

    private static func figure(_ name: String) throws -> Int {
      let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
      let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") }
      return try #require(line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }) << 10
    }
  }
#endif
