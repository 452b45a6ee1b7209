import Foundation
import ResourceCache
import ResourceFeeds
import ResourceLoading
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
  init(_ location: LibraryLocation) async throws {
    var settings = SQLiteSettings()
    settings.schemaVersion = Self.schemaVersion
    store =
      switch location {
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

// MARK: - Items

extension Library {
  /// The difference that a new reading of a feed made.
  struct Change: Equatable, Sendable {
    /// The number of items that weren't known before.
    var new = 0
    /// The number of known items that differ now.
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

extension Library {
  /// Opens a library, does something with it, and closes it.
  ///
  /// - Throws: `LibraryError` for what the store throws; anything else that the body throws as it is.
  static func use<R>(_ location: LibraryLocation, _ body: (Library) async throws -> R) async throws
    -> R
  {
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
      throw LibraryError(location: location, cause: error)
    }
  }
}

/// A library that can't be used.
struct LibraryError: Error {
  /// The location.
  let location: LibraryLocation
  /// The error that says why.
  let cause: any Error
}

/// The location of a library.
enum LibraryLocation: Equatable, Sendable {
  /// In a file, which is made with its folder if it isn't there.
  case file(URL)
  /// In memory, and gone when the program ends.
  case memory
}

extension LibraryLocation {
  /// The location that a path on the command line means; `:memory:` is the name that SQLite gives to none.
  init(path: String) {
    self = path == ":memory:" ? .memory : .file(URL(filePath: path))
  }

  /// Returns the location of a user's library: `feeds/feeds.sqlite` in the system's folder for programs' data.
  static func standard(_ environment: [String: String]) -> LibraryLocation {
    #if os(Linux)
      // The XDG base directory specification: a relative path counts as none.
      let named = environment["XDG_DATA_HOME"].flatMap {
        $0.hasPrefix("/") ? URL(filePath: $0) : nil
      }
      let folder = named ?? .homeDirectory.appending(path: ".local/share")
    #else
      let folder = URL.applicationSupportDirectory
    #endif
    return .file(folder.appending(path: "feeds/feeds.sqlite"))
  }

  /// Whether the library exists already.
  var exists: Bool {
    switch self {
    case .file(let file): FileManager.default.fileExists(atPath: file.path(percentEncoded: false))
    case .memory: false
    }
  }
}

extension LibraryLocation: CustomStringConvertible {
  /// The path, or a word for none.
  var description: String {
    switch self {
    case .file(let file): file.path(percentEncoded: false)
    case .memory: "memory"
    }
  }
}

extension URL {
  /// This file, after its folder was made.
  ///
  /// - Throws: `LoadError` of kind `store` where that isn't possible.
  func inFolder() throws -> URL {
    let folder = deletingLastPathComponent()
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      throw LoadError(
        .store, "the folder \(folder.path(percentEncoded: false)) can't be made",
        advice: "Name another file with --database", underlying: error)
    }
    return self
  }
}
