internal import ResourceLoading

extension ModelConnection {
  /// The table of a model. The first call creates it or adapts it to the columns that the model
  /// encodes.
  func table<M: StoredModel>(for model: M) throws -> Table {
    if let known = tables[ObjectIdentifier(M.self)] { return known }
    let encoder = RowEncoder()
    defer { encoder.finish() }
    _ = try encoder.encode(model: model)
    return try createTable(M.self, columns: encoder.columns)
  }

  /// Creates the table, or adapts it to the columns.
  func createTable<M: StoredModel>(_ type: M.Type, columns: [TableColumn]) throws -> Table {
    try checkSharing(type)
    let table = try savepoint {
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

  /// The key columns that a row doesn't encode, although earlier rows did: they are `nil`.
  private func keyColumns<M: StoredModel>(
    of type: M.Type, _ found: [FileColumn], behind columns: [TableColumn]
  ) -> [TableColumn] {
    var names = (M.keys + M.indices).flatMap(\.columns)
    names.removeAll { name in columns.contains { $0.name == name } }
    return Set(names).sorted().filter { name in found.contains { $0.name.isSameName(as: name) } }
      .map { TableColumn(name: $0, type: .unknown, isOptional: true) }
  }

  /// Checks that no other type has the same table only because it has the same name.
  private func checkSharing<M: StoredModel>(_ type: M.Type) throws {
    guard M.table == String(describing: type), !M.sharesTable else { return }
    let first = namedTables[M.table.foldedName] ?? type
    guard first == type else { throw LoadError(sharing: M.table, first, type) }
    namedTables[M.table.foldedName] = type
  }
}

extension RowEncoder {
  func encode<M: StoredModel>(model: M) throws -> Bool {
    do { return try encode(model) } catch let error as LoadError {
      throw error
    } catch let error as MixedTypesError {
      throw LoadError(mixing: error, in: M.self)
    } catch {
      throw LoadError(encoding: error, of: M.self)
    }
  }
}

extension ModelConnection {
  private func create<M: StoredModel>(_ type: M.Type, _ columns: [TableColumn]) throws {
    let first = M.keys.first?.columns ?? []
    let declarations = try columns.map { column in
      // The only key without an index: SQLite's row number.
      let isRowNumber = first == [column.name] && column.type == .integer && !column.isOptional
      return try column.fileColumn(isRowNumber: isRowNumber).declaration
    }
    let list = declarations.joined(separator: ", ")
    try execute("CREATE TABLE \(try M.table.quotedName) (\(list))")
  }

  func createIndices<M: StoredModel>(
    _ type: M.Type, _ columns: [TableColumn], _ rowNumber: String?
  ) throws {
    declare(M.keys, of: type)
    for key in M.keys where key.columns != [rowNumber] {
      let hasKey = try hasIndex(M.indexName(.key, key.columns))
      if !hasKey { try checkColumns(of: key, columns) }
      if try !hasKey && hasDuplicates(of: key) { try resolveDuplicates(of: key) }
      try createIndex("UNIQUE INDEX", .key, key, columns) { "(\($0.joined(separator: ", ")))" }
      try createIndex("UNIQUE INDEX", .keyWithNil, key, columns, Table.nilKey)
    }
    for index in M.indices {
      try createIndex("INDEX", .index, index, columns) { "(\($0.joined(separator: ", ")))" }
    }
  }

  private func checkColumns<M: StoredModel>(of key: ModelKey<M>, _ columns: [TableColumn]) throws {
    for column in key.columns where !columns.contains(where: { $0.name == column }) {
      throw LoadError(noColumn: column, in: M.self)
    }
  }

  private func createIndex<M: StoredModel>(
    _ kind: String, _ prefix: IndexPrefix, _ key: ModelKey<M>, _ columns: [TableColumn],
    _ list: ([String]) -> String
  ) throws {
    try checkColumns(of: key, columns)
    let names = try key.columns.map { try $0.quotedName }
    let (index, table) = try (M.indexName(prefix, key.columns).quotedName, M.table.quotedName)
    try execute("CREATE \(kind) IF NOT EXISTS \(index) ON \(table) \(list(names))")
  }
}
