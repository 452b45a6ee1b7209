internal import ResourceLoading

/// Tables that were made by another version of a model, or by another model.
extension Connection {
  /// Sees to it that a table has columns of types that fit: adds those that it doesn't have, and declares others
  /// anew.
  ///
  /// | in the file | now | |
  /// |---|---|---|
  /// | whole numbers | floating-point numbers | declared anew; the rows' numbers become such |
  /// | whole numbers with a sign | without one, and the reverse | stays |
  /// | values of a type of its own | plain ones | declared anew where all rows have such |
  /// | plain values | of a type of its own | stays where the rows can be read, as long as it keeps what comes |
  /// | nothing but `nil` | anything | declared anew |
  /// | anything else | | an error |
  ///
  /// - Returns: The columns, with the types that they have in the file.
  /// - Throws: A `LoadError` of kind `store` where a type doesn't fit.
  func adapt<M: StoredModel>(
    _ type: M.Type, _ found: [FileColumn], to columns: [TableColumn]
  ) throws -> [TableColumn] {
    var (columns, declared) = (columns, found)
    var isReadable = true
    for index in columns.indices {
      guard let place = found.firstIndex(where: { $0.isSame(as: columns[index]) }) else {
        let declaration = try columns[index].declaration()
        try execute("ALTER TABLE \(M.table.quotedName) ADD COLUMN \(declaration)")
        declared.append(FileColumn(columns[index]))
        continue
      }
      let stored = try storedType(type, found[place], for: columns[index])
      columns[index].stored = stored
      isReadable = isReadable && (columns[index].type != .any || found[place].type == .any)
      declared[place].type = stored
      declared[place].isRowNumber =
        found[place].isRowNumber && stored == .integer && !columns[index].isOptional
    }
    // Whether a type reads what is there only itself can say. The first rows speak for the others.
    if !isReadable { _ = try select(Selection<M>(limit: 100)) }
    if declared.prefix(found.count) != found[...] { try rebuild(type, as: declared) }
    return columns
  }

  /// The type that a column of a file is to have for what a model encodes.
  private func storedType<M: StoredModel>(
    _ type: M.Type, _ found: FileColumn, for column: TableColumn
  ) throws -> DeclaredType {
    switch (found.type, column.type) {
    case (let old, let new) where old == new: return old
    case (let old, .unknown): return old
    case (.integer, .unsigned), (.unsigned, .integer): return found.type
    case (.integer, .real): return .real
    // A value has come that the column wouldn't keep.
    case (let old, .any): return column.needsAny ? .any : old
    case (.any, let new) where try !hasValue(new.isForeign, in: found.name, of: type): return new
    case (_, let new) where try !hasValue({ "\($0) IS NOT NULL" }, in: found.name, of: type):
      return new
    default: throw LoadError(changing: found.type, to: column, of: type)
    }
  }

  /// Whether a row has a value in a column that fulfils a condition.
  private func hasValue<M: StoredModel>(
    _ condition: (String) -> String, in column: String, of type: M.Type
  ) throws -> Bool {
    let rows = "SELECT 1 FROM \(try M.table.quotedName) WHERE \(condition(try column.quotedName))"
    return try integer("SELECT EXISTS (\(rows))") == 1
  }
}

extension Connection {
  /// Makes a table anew with other declarations, which SQLite can't change (<https://sqlite.org/lang_altertable.html>).
  private func rebuild<M: StoredModel>(_ type: M.Type, as columns: [FileColumn]) throws {
    try refuseForeignDeclarations(type)
    let (old, new) = (try M.table.quotedName, try "\(M.table) (new)".quotedName)
    let others = try indicesAndTriggers(of: M.table)
    let names = try columns.map { try $0.name.quotedName }.joined(separator: ", ")
    let declarations = try columns.map { try $0.declaration }.joined(separator: ", ")
    try execute("CREATE TABLE \(new) (\(declarations))")
    try execute("INSERT INTO \(new) (\(names)) SELECT \(names) FROM \(old)")
    try execute("DROP TABLE \(old)")
    try execute("ALTER TABLE \(new) RENAME TO \(old)")
    for text in others { try execute(text) }
  }

  /// Refuses a table with declarations that none of this library has, and that would be lost.
  private func refuseForeignDeclarations<M: StoredModel>(_ type: M.Type) throws {
    let foreign = try statement(
      """
      SELECT 1 FROM pragma_table_xinfo(?1)
      WHERE "notnull" OR hidden OR dflt_value IS NOT NULL OR (pk AND type <> 'INTEGER')
      """)
    try foreign.bind(M.table, at: 1)
    defer { foreign.reset() }
    guard try !foreign.step() else {
      throw LoadError(
        .store,
        "table \(M.table) has other columns than \(type), and another program's declarations",
        advice: "Change the table with SQLite's own means, or name another table")
    }
  }

  private func indicesAndTriggers(of table: String) throws -> [String] {
    let select = try statement(
      """
      SELECT sql FROM sqlite_schema
      WHERE tbl_name = ?1 COLLATE NOCASE AND type IN ('index', 'trigger') AND sql IS NOT NULL
      """)
    try select.bind(table, at: 1)
    defer { select.reset() }
    var texts: [String] = []
    while try select.step() { texts.append(select.text(at: 0)) }
    return texts
  }
}
