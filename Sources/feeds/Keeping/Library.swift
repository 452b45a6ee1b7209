import Foundation
import ResourceStore

/// The feeds and items that are remembered, in a database.
struct Library: Sendable {
  let store: SQLiteStore

  /// Keeps what servers sent in the same file, so that they need to send only what has changed.
  let cache: HTTPCache

  /// Raised when an older program must no longer touch the file.
  static let schemaVersion = 1

  /// Opens a library, and makes it if it isn't there.
  ///
  /// - Throws: `LoadError` of kind `store` where the file can't be used, or its folder can't be made.
  init(_ place: LibraryPlace) async throws {
    var settings = SQLiteSettings()
    settings.schemaVersion = Self.schemaVersion
    store =
      switch place {
      case .memory: try await .inMemory(settings: settings)
      case .file(let file): try await SQLiteStore(file: try file.inFolder(), settings: settings)
      }
    cache = HTTPCache(SQLiteResponseStorage(in: store))
  }
}

// MARK: - Feeds

extension Library {
  /// All feeds, in the order in which they were added.
  ///
  /// - Throws: `LoadError` of kind `store`.
  func feeds() async throws -> [KeptFeed] {
    try await store.select(order: KeptFeed.added.ascending, KeptFeed.url.ascending)
  }

  /// How many items a feed has.
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

// MARK: - Items

extension Library {
  /// What a feed's new reading changed.
  struct Change: Equatable, Sendable {
    /// How many items weren't known before.
    var new = 0
    /// How many were known and read otherwise now.
    var changed = 0

    /// Counts another change with this one.
    static func += (change: inout Change, other: Change) {
      change.new += other.new
      change.changed += other.changed
    }
  }

  /// Keeps what was read of a feed, all of it or nothing. What isn't in the feed any more stays.
  ///
  /// - Parameters:
  ///   - feed: What was read.
  ///   - url: Where it was read.
  ///   - now: When it was read.
  /// - Throws: `LoadError` of kind `store`.
  func keep(_ feed: Feed, from url: URL, now: Date) async throws -> Change {
    try await store.transaction { transaction in
      let known = try transaction.first(where: KeptFeed.url == url)
      try transaction.upsert(
        KeptFeed(
          url: url, title: feed.title, link: feed.link, added: known?.added ?? now, read: now))
      let older = try transaction.select(where: KeptItem.feed == url)
      // A further page of the first reading belongs to it.
      let isFirst = known?.read == nil || known?.read == now
      let merge = ItemMerge(feed.items, of: url, older: older, now: now, isFirst: isFirst)
      try transaction.upsert(merge.items)
      return merge.change
    }
  }

  /// The items that are asked for, the highest rank first, each once even if several feeds have it.
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
