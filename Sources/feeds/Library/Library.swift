import Foundation
import ResourceCache
import ResourceFeeds
import ResourceLoading
import ResourceStore

/// The feeds and items that are kept, in a database.
struct Library: Sendable {
  let store: SQLiteStore
  /// Keeps responses in the same file, so that servers need not send again what hasn't changed.
  let cache: HTTPCache

  /// Raised when older programs must no longer use the file.
  static let schemaVersion = 1

  /// Opens a library, and makes it if it doesn't exist.
  ///
  /// - Throws: `LoadError` of kind `store` if the file can't be used or its folder can't be made.
  init(_ location: LibraryLocation) async throws {
    var settings = SQLiteSettings()
    settings.schemaVersion = Self.schemaVersion
    switch location {
    case .memory: store = try await .inMemory(settings: settings)
    case .file(let file):
      try Self.makeFolder(file.deletingLastPathComponent())
      store = try await SQLiteStore(file: file, settings: settings)
    }
    cache = HTTPCache(SQLiteResponseStorage(in: store))
  }

  /// - Throws: A `LoadError` of kind `store` if it can't be made.
  private static func makeFolder(_ folder: URL) throws {
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      throw LoadError(
        .store, "the folder \(folder.path(percentEncoded: false)) can't be made",
        advice: "Name another file with --database", underlying: error)
    }
  }

  /// Opens a library, calls `body` with it, and closes it.
  ///
  /// - Throws: `FileError` for errors of the store; other errors of `body` as they are.
  static func use<R>(
    _ location: LibraryLocation, _ body: (Library) async throws -> R
  ) async throws -> R {
    do {
      let library = try await Library(location)
      do {
        let result = try await body(library)
        await library.store.close()
        return result
      } catch {
        await library.store.close()
        throw error
      }
    } catch let error as LoadError where error.kind == .store {
      throw FileError(file: "the library, \(location)", cause: error, status: .database)
    }
  }
}

extension Library {
  /// Returns all feeds, in the order in which they were added.
  ///
  /// - Throws: `LoadError` of kind `store`.
  func feeds() async throws -> [KeptFeed] {
    try await store.select(order: KeptFeed.added.ascending, KeptFeed.url.ascending)
  }

  /// Returns the number of items of a feed.
  ///
  /// - Throws: `LoadError` of kind `store`.
  func itemCount(of feed: KeptFeed) async throws -> Int {
    try await store.count(KeptItem.self, where: KeptItem.feed == feed.url)
  }

  /// Forgets feeds with all their items.
  ///
  /// - Throws: `LoadError` of kind `store`; then none of them is forgotten.
  func remove(_ feeds: [KeptFeed]) async throws {
    let urls = feeds.map(\.url)
    try await store.transaction { transaction in
      try transaction.delete(feeds)
      try transaction.delete(KeptItem.self, where: KeptItem.feed.isIn(urls))
    }
    for url in urls { try await cache.remove(url) }
  }
}

extension Library {
  /// The numbers of items that a reading of a feed added and changed.
  struct Change: Equatable, Sendable {
    var new = 0
    var changed = 0

    static func += (change: inout Change, other: Change) {
      change.new += other.new
      change.changed += other.changed
    }
  }

  /// Keeps a feed that was read, completely or not at all. Items that are no longer in the feed stay.
  ///
  /// - Throws: `LoadError` of kind `store`.
  func keep(_ feed: Feed, from url: URL, now: Date) async throws -> Change {
    try await store.transaction { transaction in
      let known = try transaction.first(where: KeptFeed.url == url)
      try transaction.upsert(
        KeptFeed(
          url: url, title: feed.title, link: feed.link, added: known?.added ?? now, read: now))
      // A further page of the first reading belongs to it.
      let isFirst = known?.read == nil || known?.read == now
      let rows = try transaction.select(where: KeptItem.feed == url)
      let older = Dictionary(rows.map { ($0.identity, $0) }) { first, _ in first }
      var items: [KeptItem] = []
      var change = Change()
      for (position, (identity, item)) in feed.identifiedItems.enumerated() {
        let item = KeptItem(
          item, identity: identity.rawValue, feed: url, position: position, now: now,
          isFirst: isFirst)
        let before = older[item.identity]
        let after = before.map(item.seen) ?? item
        guard after != before else { continue }
        items.append(after)
        change += before == nil ? Change(new: 1) : Change(changed: 1)
      }
      try transaction.upsert(items)
      return change
    }
  }

  /// Returns the chosen items, the highest rank first, each once even if several feeds have it.
  ///
  /// - Throws: `LoadError` of kind `store`.
  func items(_ choice: ItemChoice) async throws -> [KeptItem] {
    try await store.read { snapshot in
      var (items, known, offset): ([KeptItem], Set<String>, Int) = ([], [], 0)
      while items.count < choice.limit {
        let page = try snapshot.select(choice.selection(offset: offset))
        items += page.filter { known.insert($0.overallIdentity).inserted }
        guard page.count == choice.limit else { break }
        offset += page.count
      }
      return Array(items.prefix(choice.limit))
    }
  }
}
