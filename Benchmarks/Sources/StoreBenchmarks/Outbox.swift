import Foundation
import GRDBSQLite
import Measuring
import ResourceLoading
import ResourceOutbox
import ResourceStore
import Rows

/// What is added: a small change of one of many things.
private struct Change: Codable, Sendable {
  var text = "The text of a note, as long as that of a note is"
  var number: Int
}

/// An outbox that sends nothing.
private struct OurOutbox: Sendable {
  let file: TemporaryDatabase
  let store: SQLiteStore
  let outbox: Outbox

  init(_ file: TemporaryDatabase) async throws {
    self.file = file
    store = try await SQLiteStore(file: file.url)
    var settings = OutboxSettings()
    settings.maximumConcurrency = 0
    let client = Client(baseURL: URL(string: "https://api.example.org")!)
    outbox = try await Outbox(store: store, client: client, settings: settings)
  }

  func add(_ count: Int) async throws {
    for number in 0..<count { try await outbox.add(Self.request(number), as: Self.key(number)) }
  }

  private static func request(_ number: Int) -> Request {
    .put("/notes/\(number)").json(Change(number: number))
  }

  private static func key(_ number: Int) -> OutboxKey { "note \(number % 20_000)" }

  func close() async {
    await outbox.close()
    await store.close()
  }

  /// The file of one with so many entries.
  static func file(of count: Int) async throws -> TemporaryDatabase {
    let made = try await OurOutbox(TemporaryDatabase())
    try await made.store.transaction { transaction in
      for number in 0..<count {
        try made.outbox.add(request(number), as: key(number), in: transaction)
      }
    }
    await made.close()
    return made.file
  }
}

/// A table of writes, as one makes it by hand over SQLite's interface.
private final class RawOutbox {
  private let file: TemporaryDatabase
  private let handle: OpaquePointer
  private let insertion: OpaquePointer

  init(_ file: TemporaryDatabase) {
    self.file = file
    handle = openDatabase(file)
    execute(
      """
      CREATE TABLE IF NOT EXISTS writes (number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT UNIQUE,
        key TEXT, state INTEGER, method TEXT, path TEXT, body BLOB, added REAL);
      CREATE INDEX IF NOT EXISTS writesByKey ON writes (key, number);
      """, handle)
    insertion = prepare(
      "INSERT INTO writes (id, key, state, method, path, body, added) VALUES (?, ?, 0, ?, ?, ?, ?)",
      handle)
  }

  deinit {
    sqlite3_finalize(insertion)
    sqlite3_close(handle)
  }

  func add(_ count: Int) {
    for number in 0..<count {
      execute("BEGIN IMMEDIATE", handle)
      insert(number)
      execute("COMMIT", handle)
    }
  }

  private func insert(_ number: Int) {
    let body = demand { try JSONEncoder().encode(Change(number: number)) }
    bindText(UUID().uuidString, 1, insertion)
    bindText("note \(number % 20_000)", 2, insertion)
    bindText("PUT", 3, insertion)
    bindText("/notes/\(number)", 4, insertion)
    bindText(String(decoding: body, as: UTF8.self), 5, insertion)
    sqlite3_bind_double(insertion, 6, Date().timeIntervalSinceReferenceDate)
    check(sqlite3_step(insertion))
    sqlite3_reset(insertion)
  }

  static func file(of count: Int) -> TemporaryDatabase {
    let outbox = RawOutbox(TemporaryDatabase())
    execute("BEGIN IMMEDIATE", outbox.handle)
    for number in 0..<count { outbox.insert(number) }
    execute("COMMIT", outbox.handle)
    return outbox.file
  }
}

func registerOutbox() {
  Row.outboxAdd.registerAsync(.ours, given: { await demand { try await OurOutbox(.init()) } }, add)
  Row.outboxAdd.register(.sqlite, given: { RawOutbox(.init()) }, { $1.add($0) })
  registerMany(100_000)
}

/// Registers what is done where so many entries wait: each round on a copy of one file.
private func registerMany(_ count: Int) {
  let ours = Template { try await OurOutbox.file(of: count) }
  let raw = Template { RawOutbox.file(of: count) }
  Row.outboxAddAtMany.registerAsync(
    .ours, given: { await demand { try await OurOutbox(ours.copy()) } }, add)
  Row.outboxAddAtMany.registerAsync(
    .sqlite, given: { await raw.copy() }, { count, file in RawOutbox(file).add(count) })
  Row.outboxAddAtMany.registerAllowed(nanoseconds: 200_000)
  Row.outboxOpenWithMany.registerAsync(
    .ours, given: { await ours.copy() },
    { _, file in await demand { try await OurOutbox(file).close() } })
  Row.outboxOpenWithMany.registerAllowed(nanoseconds: 100_000_000)
}

@Sendable private func add(_ count: Int, to outbox: OurOutbox) async {
  await demand { try await outbox.add(count) }
}

/// A file that is made when it is first needed.
private actor Template {
  private let make: @Sendable () async throws -> TemporaryDatabase
  private var file: TemporaryDatabase?

  init(_ make: @escaping @Sendable () async throws -> TemporaryDatabase) { self.make = make }

  func copy() async -> TemporaryDatabase {
    let made = file
    let original = if let made { made } else { await demand { [make] in try await make() } }
    file = original
    let copy = TemporaryDatabase()
    demand { try FileManager.default.copyItem(at: original.url, to: copy.url) }
    return copy
  }
}
