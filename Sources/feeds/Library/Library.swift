import Foundation
import ResourceCache
import ResourceFeeds
import ResourceLoading
import ResourceStore

/// The feeds and items that are kept, in a database.
///
/// Its methods throw a `LoadError` of kind `store` if that can't be read or written, and
/// `CancellationError`.
struct Library: Sendable {
  let store: SQLiteStore
  /// Keeps responses in the same file, so that servers need not send again what hasn't changed.
  let cache: HTTPCache

  /// Raised when older programs must no longer use the file.
  static let schemaVersion = 1

  /// The path that stands for memory, as in SQLite: what is kept is gone when the program ends.
  static let memory = ":memory:"

  /// Opens a library, and makes it with its folder if it doesn't exist.
  init(_ path: String) async throws {
    var settings = SQLiteSettings()
    settings.schemaVersion = Self.schemaVersion
    if path == Self.memory {
      store = try await .inMemory(settings: settings)
    } else {
      let file = URL(filePath: path, directoryHint: .notDirectory)
      try Self.makeFolder(file.deletingLastPathComponent())
      store = try await SQLiteStore(file: file, settings: settings)
    }
    cache = HTTPCache(SQLiteResponseStorage(in: store))
  }

  private static func makeFolder(_ folder: URL) throws {
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      throw LoadError(
        .store, "the folder \(folder.path(percentEncoded: false)) can't be made",
        advice: "Name another file with --database", underlying: error)
    }
  }

  /// Returns the path of the user's own library: `feeds/feeds.sqlite` in the system's folder for
  /// data of programs.
  static func standardPath(_ environment: [String: String]) -> String {
    #if os(Linux)
      // The XDG base directory specification ignores relative paths.
      let named = environment["XDG_DATA_HOME"].flatMap {
        $0.hasPrefix("/") ? URL(filePath: $0) : nil
      }
      let folder = named ?? .homeDirectory.appending(path: ".local/share")
    #else
      let folder = URL.applicationSupportDirectory
    #endif
    return folder.appending(path: "feeds/feeds.sqlite").path(percentEncoded: false)
  }
}

// MARK: - Feeds

extension Library {
  /// Returns all feeds, in the order in which they were added.
  func feeds() async throws -> [KeptFeed] {
    try await store.select(order: KeptFeed.added.ascending, KeptFeed.url.ascending)
  }

  /// Returns feeds as they are kept, and those that aren't as they are given, each URL once.
  func feeds(at given: [KeptFeed]) async throws -> [KeptFeed] {
    let kept = try await feeds()
    var known: Set<URL> = []
    return given.filter { known.insert($0.url).inserted }
      .map { feed in kept.first { $0.url == feed.url } ?? feed }
  }

  /// Returns the number of items of a feed.
  func itemCount(of feed: KeptFeed) async throws -> Int {
    try await store.count(KeptItem.self, where: KeptItem.feed == feed.url)
  }

  /// Forgets feeds with all their items, all of them or none.
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
  /// The numbers of items that a reading of a feed added and changed.
  struct Change: Equatable, Sendable {
    var new = 0
    var changed = 0

    static func += (change: inout Change, other: Change) {
      change.new += other.new
      change.changed += other.changed
    }
  }

  /// Keeps a feed that was read, completely or not at all. Items that are no longer in the feed
  /// stay.
  func keep(_ feed: Feed, from url: URL, now: Date) async throws -> Change {
    try await store.transaction { transaction in
      let known = try transaction.first(where: KeptFeed.url == url)
      try transaction.upsert(
        KeptFeed(
          url: url, title: feed.title, link: feed.link, added: known?.added ?? now, read: now))
      // A further page of the first reading belongs to it.
      let isFirst = known?.read == nil || known?.read == now
      let rows = try transaction.select(where: KeptItem.feed == url)
      let older = Dictionary(uniqueKeysWithValues: rows.map { ($0.identity, $0) })
      let items = feed.identifiedItems.enumerated().map { position, identified in
        let item = KeptItem(
          identified.item, identity: identified.identity.rawValue, feed: url, position: position,
          now: now, isFirst: isFirst)
        return older[item.identity].map(item.seen) ?? item
      }
      let new = items.count { older[$0.identity] == nil }
      return Change(new: new, changed: try transaction.upsert(items) - new)
    }
  }

  /// Returns items in the order of a selection, each once even if several feeds have it.
  func items(_ selection: Selection<KeptItem>) async throws -> [KeptItem] {
    try await store.read { snapshot in
      let limit = selection.limit ?? .max
      var (selection, items, known) = (selection, [KeptItem](), Set<String>())
      while items.count < limit {
        let rows = try snapshot.select(selection)
        items += rows.filter { known.insert($0.overallIdentity).inserted }
        guard rows.count == limit else { break }
        selection.offset += rows.count
      }
      return Array(items.prefix(limit))
    }
  }
}
