import Foundation
import ResourceLoading
import ResourceStore
import StoreTestSupport
import TestSupport
import Testing

struct Story: StoredModel, Identifiable {
  var id: String
  var title: String
  var posted: Date?
  var isRead = false
}

extension Story {
  static let posted = Column(CodingKeys.posted, \Story.posted)
  static let isRead = Column(CodingKeys.isRead, \Story.isRead)
}

struct Ballot: StoredModel {
  var user: Int
  var item: String
  var cast: Date

  static let user = Column(CodingKeys.user, \Ballot.user)
  static let cast = Column(CodingKeys.cast, \Ballot.cast)
  static let keys = [ModelKey(Ballot.user)]
  static let duplicateRule = DuplicateRule.keepFirst(Ballot.cast.descending)
}

struct Vote: StoredModel {
  var user: Int
  var item: String
  var value: Int

  static let user = Column(CodingKeys.user, \Vote.user)
  static let item = Column(CodingKeys.item, \Vote.item)
  static let keys = [ModelKey(Vote.user, Vote.item)]
}

/// The samples of the documentation, word for word; the last test compares them.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct DocumentationTests {
  private let stories = [
    Story(id: "1", title: "a"), Story(id: "2", title: "b", isRead: true),
  ]

  @Test func `the landing page finds the unread`() async throws {
    let database = try Database()
    let file = database.file

    let store = try await SQLiteStore(file: file)
    try await store.upsert(stories)
    let unread = try await store.select(
      where: Story.isRead == false, order: Story.posted.descending, limit: 20)

    #expect(unread.map(\.id) == ["1"])

    try await store.update(Story.self, set: [Story.isRead.set(to: true)], where: .all)
    try await store.upsert(stories, keeping: Story.isRead)
    #expect(try await store.count(Story.self, where: Story.isRead == false) == 0)
  }

  @Test func `GRDB's filter, order and limit`() async throws {
    let store = try await SQLiteStore.inMemory()
    try await store.insert(stories)

    // let unread = try await pool.read { db in
    //   try Story.filter { $0.isRead == false }.order(\.posted.desc).limit(20).fetchAll(db)
    // }
    let unread = try await store.select(
      where: Story.isRead == false, order: Story.posted.descending, limit: 20)

    #expect(unread.map(\.id) == ["1"])
  }

  @Test func `keys of two columns, transactions and lists that follow`() async throws {
    let store = try await SQLiteStore.inMemory()
    let lastYear = Date(timeIntervalSinceNow: -365 * 86_400)
    try await store.upsert([Vote(user: 1, item: "a", value: 1), Vote(user: 1, item: "a", value: 2)])
    let stories = stories

    try await store.transaction { transaction in
      try transaction.delete(Story.self, where: Story.posted < lastYear)
      try transaction.upsert(stories)
    }
    let (counts, counting) = AsyncStream.makeStream(of: Int.self)
    let show: @Sendable ([Story]) -> Void = { counting.yield($0.count) }
    let following = Task {
      for try await stories in store.updates(where: Story.isRead == false) {
        show(stories)
      }
    }

    #expect(await counts.first { _ in true } == 1)
    following.cancel()
    #expect(try await store.select(where: Vote.user == 1).map(\.value) == [2])
  }

  @Test func `a new key keeps the ballot that was cast last`() async throws {
    struct Former: StoredModel {
      static let table = "Ballot"
      var user: Int
      var item: String
      var cast: Date
    }
    let (store, date) = (try await SQLiteStore.inMemory(), Date())
    try await store.insert([
      Former(user: 1, item: "a", cast: date), Former(user: 1, item: "b", cast: date + 1),
    ])

    try await store.upsert(Ballot(user: 2, item: "a", cast: date))

    #expect(try await store.select(Ballot.self).map(\.item).sorted() == ["a", "b"])
    #expect(try await store.count(Ballot.self, where: Ballot.user == 1) == 1)
  }

  @Test func `the samples of comments`() async throws {
    let store = try await SQLiteStore.inMemory()
    let feed = Entry(id: 1, text: "feed")
    let items = Item.numbered(3)

    try await store.transaction { transaction in
      try transaction.upsert(feed)
      try transaction.insert(items)
    }
    let unread = {
      try await store.select(
        where: Item.isRead == false, order: Item.published.descending, limit: 20)
    }

    #expect(try await unread().count == 3)
    let (feedURL, yesterday) = (URL?.none, Date(timeIntervalSinceNow: -86_400))
    func condition(_ feed: URL?) -> Condition<Item> {
      Item.feed == feed && (Item.isRead == false || Item.published > yesterday)
    }
    #expect(try await store.select(where: condition(feedURL)).count == 3)
  }

  @Test func `rows one after another`() async throws {
    let store = try await SQLiteStore.inMemory()
    try await store.insert(Item.numbered(3))
    var count = 0
    func export(_ item: Item) { count += 1 }

    for try await item in store.rows(where: Item.isRead == false) {
      export(item)
    }

    #expect(count == 3)
  }

  @Test func `every sample of the documentation is compiled`() throws {
    let here = URL(filePath: #filePath)
    let models = here.deletingLastPathComponent().appending(path: "Support/Models.swift")
    let caching = here.deletingLastPathComponent().appending(path: "DocumentedCaching.swift")
    let compiled = try [here, models, caching].map {
      DocumentationSamples.trimmed(try String(contentsOf: $0, encoding: .utf8))
    }

    for sample in try DocumentationSamples.all(in: "Sources/ResourceStore") {
      #expect(compiled.contains { $0.contains(sample) }, "not compiled:\n\(sample)")
    }
  }
}
