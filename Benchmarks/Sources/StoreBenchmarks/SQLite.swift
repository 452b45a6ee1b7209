import GRDBSQLite
import Measuring
import Rows

/// SQLite's own interface, with articles in a table; one statement prepared for each thing.
private final class RawDatabase {
  let file = TemporaryDatabase()
  let handle: OpaquePointer
  let insertion: OpaquePointer
  let selection: OpaquePointer
  let lookup: OpaquePointer

  init(_ articles: [Article]) {
    handle = openDatabase(file)
    execute(
      """
      CREATE TABLE article (id INTEGER PRIMARY KEY, title TEXT, link TEXT, summary TEXT, score REAL,
      views INTEGER, isRead INTEGER)
      """, handle)
    insertion = prepare("INSERT INTO article VALUES (?, ?, ?, ?, ?, ?, ?)", handle)
    selection = prepare("SELECT * FROM article", handle)
    lookup = prepare("SELECT * FROM article WHERE id = ?", handle)
    insert(articles)
  }

  deinit {
    for statement in [insertion, selection, lookup] { sqlite3_finalize(statement) }
    sqlite3_close(handle)
  }

  func insert(_ articles: some Collection<Article>) {
    check(sqlite3_exec(handle, "BEGIN IMMEDIATE", nil, nil, nil))
    for article in articles {
      sqlite3_bind_int64(insertion, 1, Int64(article.id))
      bind(article.title, 2)
      bind(article.link, 3)
      if let summary = article.summary { bind(summary, 4) } else { sqlite3_bind_null(insertion, 4) }
      sqlite3_bind_double(insertion, 5, article.score)
      sqlite3_bind_int64(insertion, 6, Int64(article.views))
      sqlite3_bind_int(insertion, 7, article.isRead ? 1 : 0)
      check(sqlite3_step(insertion))
      sqlite3_reset(insertion)
    }
    check(sqlite3_exec(handle, "COMMIT", nil, nil, nil))
  }

  private func bind(_ text: String, _ position: Int32) {
    bindText(text, position, insertion)
  }

  func select() -> [Article] { read(selection) }

  func select(_ id: Int) -> Article? {
    sqlite3_bind_int64(lookup, 1, Int64(id))
    return read(lookup).first
  }

  private func read(_ statement: OpaquePointer) -> [Article] {
    var articles: [Article] = []
    while sqlite3_step(statement) == SQLITE_ROW {
      articles.append(
        Article(
          id: Int(sqlite3_column_int64(statement, 0)), title: text(statement, 1) ?? "",
          link: text(statement, 2) ?? "", summary: text(statement, 3),
          score: sqlite3_column_double(statement, 4),
          views: Int(sqlite3_column_int64(statement, 5)),
          isRead: sqlite3_column_int(statement, 6) != 0))
    }
    sqlite3_reset(statement)
    return articles
  }

  private func text(_ statement: OpaquePointer, _ column: Int32) -> String? {
    guard let start = sqlite3_column_text(statement, column) else { return nil }
    let count = Int(sqlite3_column_bytes(statement, column))
    return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }
}

/// Opens a database in WAL mode, with the durability of ours.
func openDatabase(_ file: TemporaryDatabase) -> OpaquePointer {
  var opened: OpaquePointer?
  let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
  sqlite3_open_v2(file.url.path, &opened, flags, nil)
  guard let opened else { preconditionFailure("no database") }
  execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL", opened)
  return opened
}

func execute(_ text: String, _ handle: OpaquePointer) {
  check(sqlite3_exec(handle, text, nil, nil, nil))
}

func bindText(_ text: String, _ position: Int32, _ statement: OpaquePointer) {
  let copying = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
  sqlite3_bind_text(statement, position, text, Int32(text.utf8.count), copying)
}

func check(_ code: Int32) {
  precondition([SQLITE_OK, SQLITE_DONE, SQLITE_ROW].contains(code), "SQLite failed: \(code)")
}

func prepare(_ text: String, _ handle: OpaquePointer) -> OpaquePointer {
  var statement: OpaquePointer?
  check(sqlite3_prepare_v2(handle, text, -1, &statement, nil))
  guard let statement else { preconditionFailure("no statement") }
  return statement
}

func registerSQLite() {
  let articles = Article.make(10_000)
  Row.storeInsert.register(.sqlite, given: makeEmpty) { _, database in
    database.insert(articles)
  }
  Row.storeSelect.register(.sqlite, given: makeFull) { count, database in
    precondition(database.select().count == count)
  }
  Row.storeInsertOne.register(.sqlite, given: makeEmpty) { count, database in
    for index in 0..<count { database.insert(CollectionOfOne(articles[index])) }
  }
  Row.storeSelectOne.register(.sqlite, given: makeFull) { count, database in
    for id in 1...count { precondition(database.select(id)?.id == id) }
  }
}

@Sendable private func makeEmpty() -> RawDatabase { RawDatabase([]) }

@Sendable private func makeFull() -> RawDatabase {
  let database = RawDatabase(Article.make(10_000))
  precondition(database.select().count == 10_000)
  return database
}
