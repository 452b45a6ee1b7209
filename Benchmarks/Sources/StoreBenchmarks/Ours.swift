import Measuring
import ResourceStore
import Rows

extension Article: StoredModel {}

/// A store with so many articles in it.
private struct OurDatabase: Sendable {
  let file = TemporaryDatabase()
  let store: SQLiteStore

  init(_ count: Int) async throws {
    store = try await SQLiteStore(file: file.url)
    // The table is there before.
    try await store.insert(Article.make(max(1, count)))
    if count == 0 { try await store.delete(Article.self, where: .all) }
  }
}

func registerOurs() {
  let articles = Article.make(10_000)
  Row.storeInsert.registerAsync(.ours, given: makeEmpty) { _, database in
    await demand { try await database.store.insert(articles) }
  }
  Row.storeSelect.registerAsync(.ours, given: makeFull) { count, database in
    let articles = await demand { try await database.store.select(Article.self) }
    precondition(articles.count == count)
  }
  Row.storeInsertOne.registerAsync(.ours, given: makeEmpty) { count, database in
    for index in 0..<count { await demand { try await database.store.insert(articles[index]) } }
  }
  Row.storeSelectOne.registerAsync(.ours, given: makeFull) { count, database in
    for id in 1...count {
      let article = await demand { try await database.store.first(where: Article.id == id) }
      precondition(article?.id == id)
    }
  }
}

@Sendable private func makeEmpty() async -> OurDatabase {
  await demand { try await OurDatabase(0) }
}

@Sendable private func makeFull() async -> OurDatabase {
  let database = await demand { try await OurDatabase(10_000) }
  // Whoever reads has read before: the connection is open and knows the pages, as the others' do.
  let articles = await demand { try await database.store.select(Article.self) }
  precondition(articles.count == 10_000)
  return database
}

/// A database that fails costs less, and makes a row a lie.
func demand<Value: Sendable>(_ body: @Sendable () async throws -> Value) async -> Value {
  do { return try await body() } catch { preconditionFailure("the store failed: \(error)") }
}
