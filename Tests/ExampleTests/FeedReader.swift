// A feed reader with a database: stored first, then fresh.
//
// What it shows: XML decoded into a model, models in SQLite tables, a list that follows the
// database, and a cache that requests only what has changed. The program `feeds` is a complete feed
// reader.

import Foundation
import ResourceCache
import ResourceLoading
import ResourceStore
import ResourceTesting
import ResourceXML
import Testing

/// The parts of an RSS document that the reader needs.
private struct Channel: Decodable, Sendable {
  struct Item: Decodable, Sendable {
    let guid, title: String
  }
  struct Contents: Decodable, Sendable { let item: [Item] }
  let channel: Contents
}

/// A story, which is a row of a table.
private struct Story: StoredModel, Identifiable, Equatable {
  var id: String
  var title: String
  var isRead = false
}

extension Story {
  static let isRead = Column(CodingKeys.isRead, \Story.isRead)
  static let title = Column(CodingKeys.title, \Story.title)
}

private struct FeedReader: Sendable {
  let store: SQLiteStore
  let client: Client

  /// Opens the reader's file, which stores the stories and the server's responses.
  init(file: URL) async throws {
    let store = try await SQLiteStore(file: file)
    self.store = store
    client = Client {
      $0.middleware = [HTTPCache(SQLiteResponseStorage(in: store)), RetryMiddleware()]
    }
  }

  /// The unread stories, now and whenever they change.
  var unread: Updates<[Story]> {
    store.updates(where: Story.isRead == false, order: Story.title.ascending)
  }

  /// Reads a feed: first the stored response, then the server's. Stories that were read stay read.
  ///
  /// - Throws: `LoadError` if the server can't be reached. The stored stories are still shown.
  func refresh(_ url: URL) async throws {
    for try await document in client.values(of: Resource<Channel>.xml(url)) {
      try await keep(document.channel.item)
    }
  }

  func markRead(_ id: String) async throws {
    try await store.update(
      Story.self, set: [Story.isRead.set(to: true)], where: Story.id == id)
  }

  private func keep(_ items: [Channel.Item]) async throws {
    try await store.transaction { transaction in
      for item in items {
        let known = try transaction.first(where: Story.id == item.guid)
        try transaction.upsert(
          Story(id: item.guid, title: item.title, isRead: known?.isRead ?? false))
      }
    }
  }
}

@Suite(.timeLimit(.minutes(15)))
struct FeedReaderExampleTests {
  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "FeedReaderExample-\(UUID())")

  private func withReader(_ body: (FeedReader) async throws -> Void) async throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(try await FeedReader(file: folder.appending(path: "reader.sqlite")))
  }

  private func makeServer() throws -> LoopbackServer {
    try LoopbackServer {
      LoopbackRoute("GET /feed") { request in
        request.header("If-None-Match") == "\"1\""
          ? .status(304)
          : .response(
            headers: ["Content-Type": "application/rss+xml", "ETag": "\"1\""],
            body: """
              <rss><channel>
                <item><guid>a</guid><title>Apples</title></item>
                <item><guid>b</guid><title>Bread</title></item>
              </channel></rss>
              """)
      }
    }
  }

  @Test func `stories are stored, read ones stay read, and nothing is sent twice`()
    async throws
  {
    let server = try makeServer()
    defer { server.stop() }
    try await withReader { reader in
      try await reader.refresh(server.url("/feed"))
      try await reader.markRead("a")
      try await reader.refresh(server.url("/feed"))

      var unread = reader.unread.makeAsyncIterator()
      #expect(try await unread.next()?.map(\.title) == ["Bread"])
      #expect(server.requests.map { $0.header("If-None-Match") } == [nil, "\"1\""])
    }
  }

  @Test func `without a server there are the error and the stories`() async throws {
    let server = try makeServer()
    try await withReader { reader in
      try await reader.refresh(server.url("/feed"))
      server.stop()

      await #expect(throws: LoadError.self) { try await reader.refresh(server.url("/feed")) }

      #expect(try await reader.store.count(Story.self) == 2)
    }
  }

  @Test func `a list follows the database`() async throws {
    let server = try makeServer()
    defer { server.stop() }
    try await withReader { reader in
      var unread = reader.unread.makeAsyncIterator()
      #expect(try await unread.next() == [])

      try await reader.refresh(server.url("/feed"))

      #expect(try await unread.next()?.map(\.id) == ["a", "b"])
    }
  }
}
