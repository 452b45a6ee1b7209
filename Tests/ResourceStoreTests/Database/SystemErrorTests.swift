import StoreTestSupport

#if os(Linux)
  import Foundation
  import ResourceLoading
  import TestSupport
  import Testing

  @testable import ResourceStore

  /// What an error says about the system call that failed.
  @Suite(.inTurn, .timeLimit(.minutes(15)))
  struct SystemErrorTests {
    private static let table: [(SimulatedDisk.Call, Int32, reason: String, advice: String)] = [
      (.open, EMFILE, "can't be opened: Too many open files", "ulimit -n"),
      (.open, EISDIR, "can't be opened: Is a directory", "not of a folder"),
      (.read, EIO, "can't be read or written: Input/output error", "Check the disk"),
      (.write, EFBIG, "can't be read or written: File too large", "ulimit -f"),
      (.write, EDQUOT, "can't be read or written: Disk quota exceeded", "Free space"),
      (.write, ENOSPC, "there is no room for more", "Free space"),
      (.synchronize, EIO, "can't be read or written: Input/output error", "Check the disk"),
      (.map, ENOMEM, "there is no memory left", "Use less memory"),
    ]

    @Test(arguments: table.indices)
    func `an error has the file, the system's message and advice`(row: Int) async {
      await #expect(processExitsWith: .success) { [row = row as Int] in
        Watchdog.endsProcess()
        let (call, system, reason, advice) = Self.table[row]
        let database = try Database()
        SimulatedDisk.fail(.init(call: call, skipped: .max, system: 0))
        var settings = SQLiteSettings()
        settings.syncsEveryCommit = true
        let store = try await database.open(settings)
        try await store.insert(Item.numbered(2000))
        await store.close()

        // Whichever call fails, the store can be used afterwards, and nothing counts as damaged.
        for skipped in 0..<20 {
          SimulatedDisk.fail(.init(call: call, skipped: skipped, system: system))
          do {
            let store = try await database.open(settings)
            _ = try await store.select(Item.self)
            try await store.upsert(Item.numbered(2001))
            try await store.delete(Item.self, where: .all)
            await store.close()
          } catch let error as LoadError {
            #expect(error.kind == .store)
            #expect(error.reason.contains(reason), "\(error)")
            #expect(error.reason.contains(database.file.path), "\(error)")
            #expect(error.advice?.contains(advice) == true, "\(error)")
            #expect(error.isPassingShortage || system == EISDIR || system == EFBIG)
          }
        }
        SimulatedDisk.fail(.init(call: call, skipped: .max, system: 0))
        let again = try await database.open()
        try await again.upsert(Item.numbered(1))
        await again.close()
      }
    }
  }
#endif
