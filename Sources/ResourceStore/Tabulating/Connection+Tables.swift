internal import ResourceLoading

extension Connection {
  /// The table for a model: known already, or made now, with the columns that this one encodes.
  ///
  /// - Throws: A `LoadError` of kind `store` for a model that can't be a row, or where SQLite fails.
  func table<M: Model>(for model: M) throws -> Table {
    if let known = tables[ObjectIdentifier(M.self)] { return known }
    let columns = RowEncoder(columns: [])
    defer { columns.finish() }
    try encode(model, with: columns)
    return try makeTable(M.self, columns: columns.columns)
  }

  /// Sees to it that the file has the table with all of these columns, and remembers it.
  func makeTable<M: Model>(_ type: M.Type, columns: [TableColumn]) throws -> Table {
    let table = try Table(type, columns: columns)
    let found = try self.columns(of: M.table)
    if found.isEmpty {
      try create(type, columns)
    } else {
      for column in columns where !found.contains(where: { $0.name == column.name }) {
        try execute("ALTER TABLE \(table.name) ADD COLUMN \(column.declaration)")
      }
    }
    try createIndices(type, columns)
    tables[ObjectIdentifier(type)] = table
    return table
  }

  /// The columns that a table has in the file; none where there is no such table.
  func columns(of table: String) throws -> [(name: String, isRowNumber: Bool)] {
    let info = try statement("SELECT name, type = 'INTEGER' AND pk = 1 FROM pragma_table_info(?1)")
    try info.bind(table, at: 1)
    defer { info.reset() }
    var columns: [(String, Bool)] = []
    while try info.step() { columns.append((info.text(at: 0), info.integer(at: 1) == 1)) }
    return columns
  }

  private func create<M: Model>(_ type: M.Type, _ columns: [TableColumn]) throws {
    let first = M.keys.first?.columns ?? []
    let declarations = try columns.map { column in
      // The one form of key that needs no index: the number of the row itself.
      let isRowNumber = first == [column.name] && column.type == .integer
      return try column.declaration + (isRowNumber ? " PRIMARY KEY" : "")
    }
    let list = declarations.joined(separator: ", ")
    try execute("CREATE TABLE \(try M.table.quotedName) (\(list))")
  }

  private func createIndices<M: Model>(_ type: M.Type, _ columns: [TableColumn]) throws {
    let rowNumber = try self.columns(of: M.table).first(where: \.isRowNumber)?.name
    for key in M.keys where key.columns != [rowNumber] {
      try createIndex("UNIQUE INDEX", named: "key", key, columns)
    }
    for index in M.indices { try createIndex("INDEX", named: "index", index, columns) }
  }

  private func createIndex<M: Model>(
    _ kind: String, named name: String, _ key: ModelKey<M>, _ columns: [TableColumn]
  ) throws {
    for column in key.columns where !columns.contains(where: { $0.name == column }) {
      throw LoadError(noColumn: column, in: M.self)
    }
    let target = try
      "\(M.table.quotedName) (\(key.columns.map { try $0.quotedName }.joined(separator: ", ")))"
    try execute("CREATE \(kind) IF NOT EXISTS \("\(name) \(target)".quotedName) ON \(target)")
  }
}

extension TableColumn {
  fileprivate var declaration: String {
    get throws { type == .any ? try name.quotedName : "\(try name.quotedName) \(type.rawValue)" }
  }
}
