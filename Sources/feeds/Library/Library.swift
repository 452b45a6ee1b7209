import Foundation
import ResourceCache
import ResourceFeeds
import ResourceStore

/// The feeds and items that are kept, in a database.
struct Library: Sendable {
  let store: SQLiteStore
  /// Keeps responses in the same file, so that servers need not send again what hasn't changed.
  let cache: HTTPCache

  /// The path that stands for memory, as in SQLite: what is kept is gone when the program ends.
  static let memory = ":memory:"

  /// Opens a library, and creates it with its folder if it doesn't exist.
  init(_ path: String) async throws {
    if path == Self.memory {
      store = try await .inMemory()
    } else {
      let file = URL(filePath: path, directoryHint: .notDirectory)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      store = try await SQLiteStore(file: file)
    }
    cache = HTTPCache(SQLiteResponseStorage(in: store))
  }

  /// The path of the user's own library: `feeds/feeds.sqlite` in the system's folder for data of
  /// programs.
  static var standardPath: String {
    #if os(Linux)
      let data = ProcessInfo.processInfo.environment["XDG_DATA_HOME"]
      // The XDG base directory specification ignores relative paths.
      let named = data.flatMap { $0.hasPrefix("/") ? URL(filePath: $0) : nil }
      let folder = named ?? .homeDirectory.appending(path: ".local/share")
    #else
      let folder = URL.applicationSupportDirectory
    #endif
    return folder.appending(path: "feeds/feeds.sqlite").path(percentEncoded: false)
  }
}

extension Library {
  func feeds() async throws -> [KeptFeed] {
    try await store.select(order: KeptFeed.added.ascending, KeptFeed.url.ascending)
  }

  /// Returns feeds as they are kept, and those that aren't as new ones, each URL once.
  func feeds(at urls: [URL], now: Date) async throws -> [KeptFeed] {
    let kept = try await feeds()
    var known: Set<URL> = []
    return urls.filter { known.insert($0).inserted }
      .map { url in kept.first { $0.url == url } ?? KeptFeed(url: url, added: now) }
  }

  /// The numbers of items that a reading of a feed added and changed.
  struct Change: Equatable, Sendable {
    var new = 0
    var changed = 0

    static func + (one: Change, other: Change) -> Change {
      Change(new: one.new + other.new, changed: one.changed + other.changed)
    }
  }

  /// Keeps a feed that was read, completely or not at all. Items that are no longer in the feed
  /// stay.
  func keep(_ feed: Feed, from url: URL, now: Date) async throws -> Change {
    try await store.transaction { transaction in
      let known = try transaction.first(where: KeptFeed.url == url)
      try transaction.upsert(
        KeptFeed(url: url, title: feed.title, added: known?.added ?? now, read: now))
      let before = try transaction.count(KeptItem.self, where: KeptItem.feed == url)
      let items = feed.identifiedItems.enumerated().map { position, identified in
        KeptItem(identified.item, identified.identity, of: url, at: position, now: now)
      }
      // What was known of an item's first reading stays.
      let written = try transaction.upsert(
        items, keeping: KeptItem.firstRead, KeptItem.position, KeptItem.rank)
      let new = try transaction.count(KeptItem.self, where: KeptItem.feed == url) - before
      return Change(new: new, changed: written - new)
    }
  }

  /// Returns the newest items of some feeds, each once even if several feeds have it.
  func items(of feeds: [KeptFeed], limit: Int) async throws -> [KeptItem] {
    var (items, known) = ([KeptItem](), Set<String>())
    let rows = store.rows(
      of: KeptItem.self, where: KeptItem.feed.isIn(feeds.map(\.url)),
      order: KeptItem.rank.descending, KeptItem.position.ascending, KeptItem.feed.ascending)
    for try await item in rows where known.insert(item.overallIdentity).inserted {
      items.append(item)
      if items.count == limit { break }
    }
    return items
  }
}
