import CacheTestSupport
import Foundation
import ResourceCache
import ResourceLoading
import ResourceStore
import StoreTestSupport
import TestSupport
import Testing

/// Opening files: by several processes at once, and with which permissions.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct OpeningTests {
  /// 30, or `RESOURCE_STORE_OPENINGS`.
  static let count =
    ProcessInfo.processInfo.environment["RESOURCE_STORE_OPENINGS"].flatMap { Int($0) } ?? 30

  @Test func `six processes that open new files simultaneously all succeed`() async throws {
    let database = try Database()
    let folder = database.file.deletingLastPathComponent().path
    let count = Self.count

    await withTaskGroup(of: Void.self) { group in
      for process in 0..<6 {
        group.addTask {
          await #expect(processExitsWith: .success) {
            [folder = folder as String, process = process as Int, count = count as Int] in
            Watchdog.endsProcess()
            do {
              for round in 0..<count { try await Self.use(folder, round: round, process) }
            } catch {
              // So that the others don't wait for this one.
              try Data("\(error)".utf8).write(to: URL(filePath: "\(folder)/failure"))
              throw error
            }
          }
        }
      }
    }

    #expect((try? String(contentsOfFile: "\(folder)/failure", encoding: .utf8)) == nil)
    for round in 0..<count {
      let store = try await SQLiteStore(file: URL(filePath: "\(folder)/\(round).sqlite"))
      #expect(try await store.select(order: Entry.id.ascending).map(\.id) == Array(0..<6))
      await store.close()
    }
  }

  private static func use(_ folder: String, round: Int, _ process: Int) async throws {
    try await waitForOthers(folder, round: round, process)
    let store = try await SQLiteStore(file: URL(filePath: "\(folder)/\(round).sqlite"))
    try await store.insert(Entry(id: process, text: ""))
    #expect(try await store.count(Entry.self) > 0)
    await store.close()
  }

  /// Returns when all processes have reached a round, so that they begin it together.
  private static func waitForOthers(_ folder: String, round: Int, _ process: Int) async throws {
    let files = (0..<6).map { "\(folder)/round-\(round)-\($0)" }
    try Data().write(to: URL(filePath: files[process]))
    while !files.allSatisfy({ access($0, F_OK) == 0 }) {
      if access("\(folder)/failure", F_OK) == 0 { throw CancellationError() }
      await Task.yield()
    }
  }

  private func mode(of path: String) throws -> Int {
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
    return try #require(mode as? NSNumber).intValue
  }

  @Test func `only the user can read the file and those beside it`() async throws {
    let database = try Database()
    let store = try await database.open()
    try await store.insert(Item.numbered(10))
    let path = database.file.path(percentEncoded: false)
    let folder = database.file.deletingLastPathComponent().path(percentEncoded: false)
    let storage = SQLiteResponseStorage(file: URL(filePath: folder + "/cache.sqlite"))
    try await storage.store(
      CacheExchange.stored([:]), for: CacheKey(url: "https://example.org", partition: .anonymous))

    let files = try FileManager.default.contentsOfDirectory(atPath: folder)

    #expect(files.count >= 6)
    for file in files { #expect(try mode(of: "\(folder)/\(file)") == 0o600, "\(file)") }
    #expect(files.contains { path.hasSuffix($0) })
  }

  @Test(arguments: [false, true])
  func `other users can't read an existing file, unless the settings allow it`(
    keepsPermissions: Bool
  ) async throws {
    let database = try Database()
    let path = database.file.path(percentEncoded: false)
    var settings = SQLiteSettings()
    settings.keepsPermissions = keepsPermissions
    let first = try await database.open()
    try await first.insert(Item.numbered(1))
    // As another program, or an earlier version, may have left them.
    for suffix in ["", "-wal", "-shm"] {
      try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: path + suffix)
    }

    let store = try await database.open(settings)
    try await store.upsert(Item.numbered(2))

    for suffix in ["", "-wal", "-shm"] {
      #expect(try mode(of: path + suffix) == (keepsPermissions ? 0o666 : 0o600), "\(suffix)")
    }
    await first.close()
    await store.close()
  }

  @Test(arguments: ["", "-wal", "-shm", "-journal"])
  func `no file is written through a link`(suffix: String) async throws {
    let database = try Database()
    let path = database.file.path(percentEncoded: false)
    let other = path + ".other"
    try Data("another file".utf8).write(to: URL(filePath: other))
    for isHard in [false, true] {
      if isHard {
        try FileManager.default.linkItem(atPath: other, toPath: path + suffix)
      } else {
        try FileManager.default.createSymbolicLink(
          atPath: path + suffix, withDestinationPath: other)
      }

      let error = await #expect(throws: LoadError.self) { try await database.open() }

      #expect(error?.kind == .store)
      #expect(error?.reason.contains("\(path + suffix) is a ") == true)
      #expect(error?.reason.contains(isHard ? "hard link" : "symbolic link") == true)
      #expect(try Data(contentsOf: URL(filePath: other)) == Data("another file".utf8))
      try FileManager.default.removeItem(atPath: path + suffix)
    }
  }

  @Test func `a hard link can be read`() async throws {
    let database = try Database()
    let store = try await database.open()
    try await store.insert(Item.numbered(3))
    await store.close()
    let link = URL(filePath: database.file.path(percentEncoded: false) + ".link")
    try FileManager.default.linkItem(at: database.file, to: link)
    var settings = SQLiteSettings()
    settings.isReadOnly = true

    let reading = try await SQLiteStore(file: link, settings: settings)

    #expect(try await reading.count(Item.self) == 3)
    await reading.close()
  }

  @Test func `a symbolic link to the file is an error, and one to the folder is followed`()
    async throws
  {
    let database = try Database()
    let folder = database.file.deletingLastPathComponent().path(percentEncoded: false)
    let (link, other) = ("\(folder)/link.sqlite", "\(folder)/other.sqlite")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: other)
    try FileManager.default.createSymbolicLink(
      atPath: "\(folder)/folder", withDestinationPath: folder)

    let error = await #expect(throws: LoadError.self) {
      try await SQLiteStore(file: URL(filePath: link))
    }

    #expect(error?.kind == .store)
    #expect(error?.reason.contains("symbolic link") == true)
    #expect(!FileManager.default.fileExists(atPath: other))
    let store = try await SQLiteStore(file: URL(filePath: "\(folder)/folder/third.sqlite"))
    try await store.insert(Item.numbered(1))
    #expect(FileManager.default.fileExists(atPath: "\(folder)/third.sqlite"))
  }
}
