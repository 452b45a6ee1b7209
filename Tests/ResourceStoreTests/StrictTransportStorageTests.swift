import Foundation
import ResourceLoading
import ResourceStore
import ResourceTesting
import StoreTestSupport
import TestSupport
import Testing

/// Hosts that are requested only by https, in a database.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct StrictTransportStorageTests {
  typealias Entry = StrictTransportSecurity.Entry

  private let future = Date(timeIntervalSince1970: 4_000_000_000)

  private func entry(_ host: String, in seconds: TimeInterval = 0) -> Entry {
    Entry(host: host, expiration: future + seconds)
  }

  private func hosts(_ storage: SQLiteStrictTransportStorage) async throws -> [String] {
    try await storage.read().map(\.host).sorted()
  }

  @Test func `a server's policy applies after a restart, from the first request on`() async throws {
    let database = try Database()
    let first = SQLiteStrictTransportStorage(file: database.file)
    let learning = StrictTransportSecurity(storage: first)
    let https = try #require(URL(string: "https://example.org/"))
    learning.note(["Strict-Transport-Security": "max-age=1000; includeSubDomains"], from: https)
    await learning.flush()
    await first.close()

    let transport = StubTransport()
    transport.stub("*", .response())
    let client = Client(baseURL: URL(string: "http://a.example.org")) {
      $0.transport = transport
      $0.strictTransportSecurity = StrictTransportSecurity(
        storage: SQLiteStrictTransportStorage(file: database.file))
    }
    _ = try await client.load(.void(.get("x")))

    #expect(transport.requests.map(\.url.absoluteString) == ["https://a.example.org/x"])
  }

  @Test func `a complete entry is read back, but not an expired one`() async throws {
    let database = try Database()
    let entries = [
      Entry(host: "a.org", includesSubdomains: true, expiration: future + 0.25),
      Entry(host: "b.a.org", includesSubdomains: false, expiration: nil),
    ]
    let gone = Entry(host: "c.org", expiration: Date(timeIntervalSince1970: 1))
    let storage = SQLiteStrictTransportStorage(file: database.file)
    try await storage.write(entries + [gone])

    #expect(try await Set(storage.read()) == Set(entries))
    let other = SQLiteStrictTransportStorage(file: database.file)
    #expect(try await Set(other.read()) == Set(entries))
  }

  @Test func `two lists with one file keep what both have learned`() async throws {
    let database = try Database()
    let one = SQLiteStrictTransportStorage(file: database.file)
    let other = SQLiteStrictTransportStorage(file: database.file)
    #expect(try await one.read().isEmpty)
    #expect(try await other.read().isEmpty)

    try await one.write([entry("a.org"), entry("b.org")])
    try await other.write([entry("c.org")])
    try await one.write([entry("a.org")])
    #expect(try await hosts(other) == ["a.org", "c.org"])
    try await one.write([entry("a.org", in: 5), entry("c.org")])

    let third = SQLiteStrictTransportStorage(file: database.file)
    #expect(try await Set(third.read()) == [entry("a.org", in: 5), entry("c.org")])
  }

  @Test func `hosts that couldn't be read are kept when others are learned`() async throws {
    let database = try Database()
    let first = SQLiteStrictTransportStorage(file: database.file)
    try await first.write([entry("a.org")])
    let unread = SQLiteStrictTransportStorage(file: database.file)

    try await unread.write([entry("b.org")])

    #expect(try await hosts(first) == ["a.org", "b.org"])
  }

  @Test func `six processes that write one file simultaneously lose nothing`() async throws {
    let database = try Database()
    let path = database.file.path(percentEncoded: false)

    await withTaskGroup(of: Void.self) { group in
      for process in 0..<6 {
        group.addTask {
          await #expect(processExitsWith: .success) {
            [path = path as String, process = process as Int] in
            Watchdog.endsProcess()
            let storage = SQLiteStrictTransportStorage(file: URL(filePath: path))
            var entries = try await storage.read()
            for number in 0..<20 {
              entries.append(Entry(host: "\(process)-\(number).org", expiration: .distantFuture))
              try await storage.write(entries)
            }
          }
        }
      }
    }

    let storage = SQLiteStrictTransportStorage(file: database.file)
    #expect(try await storage.read().count == 6 * 20)
  }

  @Test func `an empty list also removes what others have learned`() async throws {
    let database = try Database()
    let other = SQLiteStrictTransportStorage(file: database.file)
    try await other.write([entry("a.org")])

    let strict = StrictTransportSecurity(storage: SQLiteStrictTransportStorage(file: database.file))
    strict.removeAll()
    await strict.flush()

    #expect(try await hosts(other) == [])
  }

  @Test func `lists in one database are separate, and a store's models stay`() async throws {
    let database = try Database()
    let store = try await database.open()
    try await store.insert(Item.numbered(1))
    let mine = SQLiteStrictTransportStorage(in: store, list: "mine")
    let yours = SQLiteStrictTransportStorage(in: store, list: "yours")

    try await mine.write([entry("a.org")])
    try await yours.write([entry("b.org")])
    try await yours.write([])

    #expect(try await hosts(mine) == ["a.org"])
    #expect(try await hosts(yours) == [])
    await mine.close()
    #expect(try await store.count(Item.self) == 1)
  }

  @Test func `of too many entries, the ones that expire first are removed`() async throws {
    let database = try Database()
    let count = StrictTransportSecurity.maximumCount
    for part in 0..<2 {
      let storage = SQLiteStrictTransportStorage(file: database.file)
      let known = try await storage.read()
      try await storage.write(
        known + (0..<count).map { entry("\(part)-\($0).org", in: Double(2 * $0 + part)) })
      await storage.close()
    }

    let storage = SQLiteStrictTransportStorage(file: database.file)
    let kept = try await storage.read()
    #expect(kept.count == count)
    #expect(kept.allSatisfy { $0.expiration.map { $0 >= future + Double(count) } ?? false })
  }

  @Test func `only the user can access the file`() async throws {
    let database = try Database()
    let storage = SQLiteStrictTransportStorage(file: database.file)
    try await storage.write([entry("a.org")])

    let folder = database.file.deletingLastPathComponent()
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(names.count == 3)
    for name in names {
      let attributes = try FileManager.default.attributesOfItem(
        atPath: folder.appending(path: name).path)
      #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600, "\(name)")
    }
  }

  @Test func `a file that isn't a database fails no load`() async throws {
    let database = try Database()
    try Data("no database, and longer than the head of one ".utf8).write(to: database.file)
    let storage = SQLiteStrictTransportStorage(file: database.file)
    await #expect(throws: LoadError.self) { try await storage.read() }
    await #expect(throws: LoadError.self) { try await storage.write([entry("a.org")]) }

    let transport = StubTransport()
    transport.stub("*", .response())
    let client = Client(baseURL: URL(string: "https://example.org")) {
      $0.transport = transport
      $0.strictTransportSecurity = StrictTransportSecurity(storage: storage)
    }
    _ = try await client.load(.void(.get("x")))

    #expect(transport.requests.map(\.url.absoluteString) == ["https://example.org/x"])
    #expect(try Data(contentsOf: database.file).starts(with: Data("no database".utf8)))
  }
}
