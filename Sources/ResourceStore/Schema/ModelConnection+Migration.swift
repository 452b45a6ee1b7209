internal import ResourceLoading

/// Adapts tables that were created by another version of a model, or by another model.
extension ModelConnection {
  /// Adds missing columns to a table, and rebuilds it where the declared type of a column has to
  /// change.
  ///
  /// | type in the file | type of the model | |
  /// |---|---|---|
  /// | whole numbers | floating-point numbers | rebuilt; the numbers of all rows are converted |
  /// | signed whole numbers | unsigned, and the reverse | unchanged |
  /// | encoded by the type itself | a simple type | rebuilt if all rows have such values |
  /// | a simple type | encoded by the type itself | unchanged if the rows can be decoded, until a value doesn't fit |
  /// | only `nil` | any | rebuilt |
  /// | anything else | | an error |
  ///
  /// - Returns: The columns, with their types in the file.
  func adapt<M: StoredModel>(
    _ type: M.Type, _ found: [FileColumn], to columns: [TableColumn]
  ) throws -> [TableColumn] {
    var (columns, declared) = (columns, found)
    var isReadable = true
    for index in columns.indices {
      guard let place = found.firstIndex(where: { $0.name.isSameName(as: columns[index].name) })
      else {
        let column = columns[index].fileColumn()
        try execute("ALTER TABLE \(M.table.quotedName) ADD COLUMN \(column.declaration)")
        declared.append(column)
        continue
      }
      let stored = try storedType(type, found[place], for: columns[index])
      columns[index].stored = stored
      isReadable = isReadable && (columns[index].type != .any || found[place].type == .any)
      declared[place].type = stored
      declared[place].isRowNumber =
        found[place].isRowNumber && stored == .integer && !columns[index].isOptional
        && !isPartOfKey(found[place], type)
    }
    // Only the type itself knows whether it can decode the values. The first rows are a sample.
    if !isReadable { _ = try select(Selection<M>(limit: 100)) }
    if declared.prefix(found.count) != found[...] { try rebuild(type, as: declared) }
    return columns
  }

  /// Whether the column is one of several of the first key. An upsert finds no row by such a key if
  /// one of its columns is SQLite's row number.
  private func isPartOfKey<M: StoredModel>(_ column: FileColumn, _ type: M.Type) -> Bool {
    guard let key = M.keys.first, key.columns.count > 1 else { return false }
    return key.columns.contains { column.name.isSameName(as: $0) }
  }

  /// The declared type that a column of the file needs for a column of the model.
  private func storedType<M: StoredModel>(
    _ type: M.Type, _ found: FileColumn, for column: TableColumn
  ) throws -> DeclaredType {
    switch (found.type, column.type) {
    case (let old, let new) where old == new: return old
    case (let old, .unknown): return old
    case (.integer, .unsigned), (.unsigned, .integer): return found.type
    case (.integer, .real): return .real
    // With `needsAny`, a value doesn't fit the column.
    case (let old, .any): return column.needsAny ? .any : old
    case (.any, let new) where try !hasValue(new.isForeign, in: found.name, of: type): return new
    case (_, let new) where try !hasValue({ "\($0) IS NOT NULL" }, in: found.name, of: type):
      return new
    default: throw LoadError(changing: found.type, to: column, of: type)
    }
  }

  /// Whether any row has a value in a column that matches a condition.
  private func hasValue<M: StoredModel>(
    _ condition: (String) -> String, in column: String, of type: M.Type
  ) throws -> Bool {
    try hasRow(in: "\(M.table.quotedName) WHERE \(condition(column.quotedName))")
  }
}

extension ModelConnection {
  /// Replaces a table by one with other declarations, which SQLite can't change
  /// (<https://sqlite.org/lang_altertable.html>).
  func rebuild<M: StoredModel>(_ type: M.Type, as columns: [FileColumn]) throws {
    try checkDeclarations(type)
    let (old, new) = (try M.table.quotedName, try "\(M.table) (new)".quotedName)
    let others = try indicesAndTriggers(of: M.table)
    let names = try columns.map { try $0.name.quotedName }.joined(separator: ", ")
    let declarations = try columns.map { try $0.declaration }.joined(separator: ", ")
    try execute("CREATE TABLE \(new) (\(declarations))")
    try execute("INSERT INTO \(new) (\(names)) SELECT \(names) FROM \(old)")
    try execute("DROP TABLE \(old)")
    try execute("ALTER TABLE \(new) RENAME TO \(old)")
    for text in others { try execute(text) }
    tables = [:]
  }

  /// Checks that the table has no declarations of another program, which would be lost.
  private func checkDeclarations<M: StoredModel>(_ type: M.Type) throws {
    let isForeign = try hasRow(
      in: """
        pragma_table_xinfo(?1)
        WHERE "notnull" OR hidden OR dflt_value IS NOT NULL OR (pk AND type <> 'INTEGER')
        """, [.text(M.table)])
    guard !isForeign else {
      throw LoadError(
        .store,
        "table \(M.table) has other columns than \(type), and another program's declarations",
        advice: "Change the table with SQLite's own tools, or give the model another table")
    }
  }

  private func indicesAndTriggers(of table: String) throws -> [String] {
    try rows(
      """
      SELECT sql FROM sqlite_schema
      WHERE tbl_name = ?1 COLLATE NOCASE AND type IN ('index', 'trigger') AND sql IS NOT NULL
      """, [.text(table)]
    ) { $0.text(at: 0) }
  }
}
