import Foundation
import ResourceLoading
import ResourceStore
import StoreTestSupport
import TestSupport
import Testing

/// A process that is killed while it writes.
@Suite(.inTurn)
struct KillTests {
  /// One of the rows that a transaction writes.
  struct Part: StoredModel {
    var batch: Int
    var number: Int
    var text: String

    static let batch = Column(CodingKeys.batch, \Part.batch)
    static let number = Column(CodingKeys.number, \Part.number)
    static let keys = [ModelKey(Part.batch, Part.number)]
  }

  /// A transaction's record of itself.
  struct Batch: StoredModel, Identifiable {
    var id: Int
    var count: Int
  }

  /// 20, or `RESOURCE_STORE_KILLS`.
  static let count =
    ProcessInfo.processInfo.environment["RESOURCE_STORE_KILLS"].flatMap { Int($0) } ?? 20

  @Test(.timeLimit(.minutes(10)))
  func `after a kill every commit is complete, and no transaction is partial`() async throws {
    let database = try Database()
    for _ in 0..<Self.count {
      let path = database.file.path
      let delay = UInt32.random(in: 0..<30_000)
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [path = path as String, delay = delay as UInt32] in
        Watchdog.endsProcess()
        try await Self.write(to: path, killedAfter: delay)
      }
      try await check(database)
    }
  }

  /// Writes batches of rows until this process is killed, microseconds after the first one. A file
  /// records what was committed.
  private static func write(to path: String, killedAfter delay: UInt32) async throws {
    let store = try await SQLiteStore(file: URL(filePath: path))
    let first =
      try await store.select(order: Batch.id.descending, limit: 1).first.map { $0.id + 1 } ?? 0
    try Data().write(to: URL(filePath: path + ".committed"))
    let committed = try FileHandle(forWritingTo: URL(filePath: path + ".committed"))
    Thread.detachNewThread {
      usleep(delay)
      kill(getpid(), SIGKILL)
    }
    for batch in first... {
      let count = 1 + batch % 50
      try await store.transaction { transaction in
        try transaction.insert(Batch(id: batch, count: count))
        try transaction.insert(
          (0..<count).map {
            Part(batch: batch, number: $0, text: String(repeating: "x", count: $0 * 20))
          })
      }
      try committed.write(contentsOf: Data("\(batch)\n".utf8))
    }
  }

  private func check(_ database: Database) async throws {
    let store = try await database.open()
    let batches = try await store.select(Batch.self, order: Batch.id.ascending)
    let parts = try await store.select(Part.self)
    let counts = parts.reduce(into: [:]) { $0[$1.batch, default: 0] += 1 }
    let noted = try? String(
      contentsOf: URL(filePath: database.file.path + ".committed"), encoding: .utf8)
    let last = noted?.split(separator: "\n").last.flatMap { Int($0) }

    #expect(batches.map(\.id) == Array(0..<batches.count))
    #expect(Dictionary(uniqueKeysWithValues: batches.map { ($0.id, $0.count) }) == counts)
    #expect(batches.count > last ?? -1)
    #expect(parts.allSatisfy { $0.text.count == $0.number * 20 })
    await store.close()
  }
}
