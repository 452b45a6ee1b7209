import GRDB
import Measuring
import Rows

extension Article: FetchableRecord, PersistableRecord {}

/// GRDB with so many articles in it, in WAL mode as ours.
private struct GRDBDatabase: Sendable {
  let file = TemporaryDatabase()
  let queue: DatabaseQueue

  init(_ count: Int) throws {
    var configuration = Configuration()
    configuration.journalMode = .wal
    queue = try DatabaseQueue(path: file.url.path, configuration: configuration)
    try queue.write { database in
      try database.create(table: "article") { table in
        table.primaryKey("id", .integer)
        table.column("title", .text)
        table.column("link", .text)
        table.column("summary", .text)
        table.column("score", .double)
        table.column("views", .integer)
        table.column("isRead", .boolean)
      }
      if count > 0 { for article in Article.make(count) { try article.insert(database) } }
    }
  }
}

func registerGRDB() {
  let articles = Article.make(10_000)
  Row.storeInsert.register(.grdb, given: makeEmpty) { _, database in
    demand {
      try database.queue.write { database in
        for article in articles { try article.insert(database) }
      }
    }
  }
  Row.storeSelect.register(.grdb, given: makeFull) { count, database in
    let articles = demand { try database.queue.read { try Article.fetchAll($0) } }
    precondition(articles.count == count)
  }
  Row.storeInsertOne.register(.grdb, given: makeEmpty) { count, database in
    for index in 0..<count {
      demand { try database.queue.write { try articles[index].insert($0) } }
    }
  }
  Row.storeSelectOne.register(.grdb, given: makeFull) { count, database in
    for id in 1...count {
      let article = demand { try database.queue.read { try Article.fetchOne($0, key: id) } }
      precondition(article?.id == id)
    }
  }
}

@Sendable private func makeEmpty() -> GRDBDatabase { demand { try GRDBDatabase(0) } }

@Sendable private func makeFull() -> GRDBDatabase {
  let database = demand { try GRDBDatabase(10_000) }
  precondition(demand { try database.queue.read { try Article.fetchAll($0).count } } == 10_000)
  return database
}
