import Foundation
import Measuring
import ResourceLoading
import ResourceOutbox
import ResourceStore
import ResourceSync
import ResourceTesting
import Rows

extension Article: SyncedModel {}

private let pageLength = 1_000

/// The rows that are looked at meanwhile.
private let shown = Selection(where: Article.id <= 20, order: [Article.id.ascending])

/// A store, with a collection over a server that sends the articles without a network and without
/// parsing, so that only what is stored is compared.
private struct Synced: Sendable {
  let file = TemporaryDatabase()
  let store: SQLiteStore
  let outbox: Outbox
  let articles: SyncedCollection<Article>

  init(_ all: [Article]) async throws {
    store = try await SQLiteStore(file: file.url)
    let transport = StubTransport()
    transport.stub("*", .json("{}"))
    let client = Client(baseURL: URL(string: "https://api.example.org")!) {
      $0.transport = transport
    }
    var settings = OutboxSettings()
    settings.maximumConcurrency = 0
    outbox = try await Outbox(store: store, client: client, settings: settings)
    articles = try await SyncedCollection<Article>(outbox) {
      $0.pull = .changes { position in
        let first = position.page.flatMap { Int($0) } ?? 0
        let end = min(first + pageLength, all.count)
        return Resource(.get("/articles")) { _ in
          SyncPage(
            rows: Array(all[first..<end]), next: end < all.count ? "\(end)" : nil, cursor: "1")
        }
      }
      $0.update = { .put("/articles/\($0.id)").json($0) }
      $0.elements = shown
    }
  }

  func pull() async { await demand { try await articles.sync() } }

  /// Changes a row, and waits until an observer of 20 of them sees it.
  @MainActor func edit(_ number: Int) async {
    let (id, title) = (1 + number % 20, "A title that was changed for the \(number). time")
    _ = await demand { try await articles.edit(id) { $0.title = title } }
    while articles.elements[id - 1].title != title { await Task.yield() }
  }
}

/// The same pages, as one stores and looks at them without a collection.
private final class Stored: Sendable {
  let file = TemporaryDatabase()
  let store: SQLiteStore
  private let observer: Task<Void, any Error>

  init() async throws {
    let store = try await SQLiteStore(file: file.url)
    self.store = store
    observer = Task { for try await rows in store.updates(of: shown) { blackHole(rows) } }
  }

  deinit { observer.cancel() }

  func store(_ all: [Article]) async {
    for first in stride(from: 0, to: all.count, by: pageLength) {
      let page = Array(all[first..<min(first + pageLength, all.count)])
      _ = await demand { try await store.upsert(page) }
    }
  }
}

func registerSync() {
  let all = Article.make(100_000)
  Row.syncPull.registerAsync(
    .ours, given: { await demand { try await Synced(all) } }, { _, synced in await synced.pull() })
  Row.syncPull.registerAsync(
    .plainUpsert, given: { await demand { try await Stored() } },
    { _, stored in await stored.store(all) })
  Row.syncPullBytes.registerTail(.ours) {
    let synced = await demand { try await Synced(all) }
    return await bytesWritten { await synced.pull() }
  }
  Row.syncPullBytes.registerTail(.plainUpsert) {
    let stored = await demand { try await Stored() }
    return await bytesWritten { await stored.store(all) }
  }
  Row.syncEdit.registerAsync(
    .ours,
    given: {
      let synced = await demand { try await Synced(all) }
      await synced.pull()
      while await synced.articles.elements.count < 20 { await Task.yield() }
      return synced
    },
    { count, synced in for number in 0..<count { await synced.edit(number) } })
  Row.syncEdit.registerAllowed(nanoseconds: 1_000_000)
}

/// The bytes that this process hands to the kernel while a closure runs.
private func bytesWritten(_ body: () async -> Void) async -> Int {
  let before = writtenBytes
  await body()
  return writtenBytes - before
}

private var writtenBytes: Int {
  let text = (try? String(contentsOfFile: "/proc/self/io", encoding: .utf8)) ?? ""
  let line = text.split(separator: "\n").first { $0.hasPrefix("wchar: ") }
  return line.flatMap { Int($0.dropFirst(7)) } ?? 0
}
