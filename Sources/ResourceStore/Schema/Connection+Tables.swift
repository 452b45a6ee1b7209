internal import ResourceLoading

extension Connection {
  /// The table for a model: known already, or made now, with the columns that this one encodes.
  ///
  /// - Throws: A `LoadError` of kind `store` for a model that can't be a row, for a property whose type doesn't fit
  ///   what its column holds, or where SQLite fails.
  func table<M: StoredModel>(for model: M) throws -> Table {
    if let known = tables[ObjectIdentifier(M.self)] { return known }
    let columns = RowEncoder(columns: [])
    defer { columns.finish() }
    try encode(model, with: columns)
    return try makeTable(M.self, columns: columns.columns)
  }

  /// Sees to it that the file has the table with all of these columns, and remembers it.
  ///
  /// - Throws: A `LoadError` of kind `store`; then nothing has been changed.
  func makeTable<M: StoredModel>(_ type: M.Type, columns: [TableColumn]) throws -> Table {
    try refuseAccidentalSharing(type)
    let table = try atomically {
      let found = try self.columns(of: M.table)
      var columns = columns
      if found.isEmpty {
        try create(type, columns)
      } else {
        columns = try adapt(type, found, to: columns + keyColumns(of: type, found, behind: columns))
      }
      let rowNumber = try self.columns(of: M.table).first(where: \.isRowNumber)?.name
      try createIndices(type, columns, rowNumber)
      return try Table(type, columns: columns, rowNumber: rowNumber)
    }
    tables[ObjectIdentifier(type)] = table
    return table
  }

  /// The columns of keys that a row doesn't encode though others did, which makes them `nil`.
  private func keyColumns<M: StoredModel>(
    of type: M.Type, _ found: [FileColumn], behind columns: [TableColumn]
  ) -> [TableColumn] {
    var names = (M.keys + M.indices).flatMap(\.columns)
    names.removeAll { name in columns.contains { $0.name == name } }
    return Set(names).sorted().filter { name in found.contains { $0.name.isSameName(as: name) } }
      .map { TableColumn(name: $0, type: .unknown, isOptional: true) }
  }

  /// The columns that a table has in the file; none where there is no such table.
  func columns(of table: String) throws -> [FileColumn] {
    let info = try statement(
      "SELECT name, type, type = 'INTEGER' AND pk = 1 FROM pragma_table_info(?1)")
    try info.bind(table, at: 1)
    defer { info.reset() }
    var columns: [FileColumn] = []
    while try info.step() {
      columns.append(
        FileColumn(
          name: info.text(at: 0), type: DeclaredType(declaration: info.text(at: 1)),
          isRowNumber: info.integer(at: 2) == 1))
    }
    return columns
  }

  /// Refuses a second type with the same name in the table of the first, where neither has named its table.
  private func refuseAccidentalSharing<M: StoredModel>(_ type: M.Type) throws {
    guard M.table == String(describing: type) else { return }
    let first = namedTables[M.table.foldedName] ?? type
    guard first == type else { throw LoadError(sharing: M.table, first, type) }
    namedTables[M.table.foldedName] = type
  }
}

extension Connection {
  private func create<M: StoredModel>(_ type: M.Type, _ columns: [TableColumn]) throws {
    let first = M.keys.first?.columns ?? []
    let declarations = try columns.map { column in
      // The one form of key that needs no index: the number of the row itself.
      let isRowNumber = first == [column.name] && column.type == .integer && !column.isOptional
      return try column.declaration(isRowNumber: isRowNumber)
    }
    let list = declarations.joined(separator: ", ")
    try execute("CREATE TABLE \(try M.table.quotedName) (\(list))")
  }

  private func createIndices<M: StoredModel>(
    _ type: M.Type, _ columns: [TableColumn], _ rowNumber: String?
  ) throws {
    for key in M.keys where key.columns != [rowNumber] {
      try createIndex("UNIQUE INDEX", named: "key", key, columns) {
        "(\($0.joined(separator: ", ")))"
      }
      try createIndex("UNIQUE INDEX", named: "key with nil", key, columns, Table.nilKey)
    }
    for index in M.indices {
      try createIndex("INDEX", named: "index", index, columns) { "(\($0.joined(separator: ", ")))" }
    }
  }

  private func createIndex<M: StoredModel>(
    _ kind: String, named name: String, _ key: ModelKey<M>, _ columns: [TableColumn],
    _ list: ([String]) -> String
  ) throws {
    for column in key.columns where !columns.contains(where: { $0.name == column }) {
      throw LoadError(noColumn: column, in: M.self)
    }
    let names = try key.columns.map { try $0.quotedName }
    let table = try M.table.quotedName
    let index = "\(name) \(table) (\(names.joined(separator: ", ")))"
    try execute("CREATE \(kind) IF NOT EXISTS \(index.quotedName) ON \(table) \(list(names))")
  }
}
