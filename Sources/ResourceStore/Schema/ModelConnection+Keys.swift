internal import ResourceLoading

/// The first words of the names of indices.
enum IndexPrefix: String {
  case key
  case keyWithNil = "key with nil"
  case index
}

extension StoredModel {
  static func indexName(_ prefix: IndexPrefix, _ columns: [String]) throws -> String {
    let names = try columns.map { try $0.quotedName }.joined(separator: ", ")
    return "\(prefix.rawValue) \(try table.quotedName) (\(names))"
  }
}

// Keys that a model has got since its table was created.
extension ModelConnection {
  /// Notes the keys of a model, so that they aren't taken for former ones.
  func declare<M: StoredModel>(_ keys: [ModelKey<M>], of type: M.Type) {
    declaredKeys[M.table.foldedName, default: []].formUnion(
      keys.map { $0.columns.map(\.foldedName) })
  }

  func hasIndex(_ name: String) throws -> Bool {
    try hasRow(
      in: "sqlite_schema WHERE type = 'index' AND name = ?1 COLLATE NOCASE", [.text(name)])
  }

  /// Returns whether rows have the same key, in which `nil` is a value like others.
  func hasDuplicates<M: StoredModel>(of key: ModelKey<M>) throws -> Bool {
    try hasRow(in: "(\(try groups(of: key)))")
  }

  /// The query for the keys that several rows have, with the number of these rows.
  private func groups<M: StoredModel>(of key: ModelKey<M>) throws -> String {
    let names = try key.columns.map { try $0.quotedName }.joined(separator: ", ")
    return """
      SELECT count(*) AS rows FROM \(try M.table.quotedName) GROUP BY \(names) HAVING count(*) > 1
      """
  }

  /// Deletes rows with the same key by the model's rule.
  func resolveDuplicates<M: StoredModel>(of key: ModelKey<M>) throws {
    let columns = try columns(of: M.table).map(\.name)
    let rowID = ["rowid", "_rowid_", "oid"].first { (name: String) in
      !columns.contains { $0.isSameName(as: name) }
    }
    guard let order = M.duplicateRule.order, let rowID else {
      let count = try integer("SELECT sum(rows - 1) FROM (\(try groups(of: key)))")
      throw LoadError(duplicates: count, of: key)
    }
    let table = try M.table.quotedName
    let names = try key.columns.map { try $0.quotedName }.joined(separator: ", ")
    // A column that the table doesn't have is `nil` in every row.
    let known = order.filter { term in columns.contains { $0.isSameName(as: term.column) } }
    let terms = try known.map {
      "\(table).\(try $0.column.quotedName)\($0.isDescending ? " DESC" : ""), "
    }.joined()
    try execute(
      """
      DELETE FROM \(table) WHERE \(rowID) IN (SELECT number FROM (
        SELECT \(rowID) AS number,
          row_number() OVER (PARTITION BY \(names) ORDER BY \(terms)\(rowID)) AS place
        FROM \(table)) WHERE place > 1)
      """)
    changedTables.insert(M.table.foldedName)
  }
}

extension ModelConnection {
  /// Repeats a write after a row was refused, without the keys that no model declares anymore. A
  /// former key stays while all rows have different ones, because another model of the same table
  /// that hasn't written yet may declare it.
  func withoutFormerKeys<M: StoredModel, R>(
    of type: M.Type, after error: LoadError, _ body: () throws -> R
  ) throws -> R {
    guard error.isTakenKey else { throw error }
    return try savepoint {
      guard try dropFormerKeys(of: type) else { throw error }
      tables = [:]
      return try body()
    }
  }

  /// - Returns: Whether there were any.
  private func dropFormerKeys<M: StoredModel>(of type: M.Type) throws -> Bool {
    declare(M.keys, of: type)
    let declared = declaredKeys[M.table.foldedName] ?? []
    let kept = try declared.flatMap { columns in
      try [IndexPrefix.key, .keyWithNil].map { try M.indexName($0, columns).foldedName }
    }
    let former = try rows(
      """
      SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = ?1 COLLATE NOCASE
        AND (name GLOB 'key "*' OR name GLOB 'key with nil "*')
      """, [.text(M.table)]
    ) { $0.text(at: 0) }.filter { !kept.contains($0.foldedName) }
    for name in former { try execute("DROP INDEX \(try name.quotedName)") }
    var columns = try columns(of: M.table)
    guard let number = columns.firstIndex(where: \.isRowNumber),
      !declared.contains([columns[number].name.foldedName])
    else { return !former.isEmpty }
    columns[number].isRowNumber = false
    try rebuild(type, as: columns)
    return true
  }
}
