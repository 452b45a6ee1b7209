internal import ResourceLoading

/// The statements that write to a model's table.
///
/// The parameters of all of them are numbered by column, from `?1` on, so that a row is bound to
/// each in the same way.
struct Table {
  let name: String
  /// The columns that the model has encoded so far; the table may have more.
  let columns: [TableColumn]
  /// The index of the column that is SQLite's row number, if there is one.
  let rowNumber: Int?
  private let names: [String]
  /// The indices of the first key's columns.
  private let key: [Int]

  init<M: StoredModel>(_ type: M.Type, columns: [TableColumn], rowNumber: String?) throws {
    name = try M.table.quotedName
    self.columns = columns
    self.rowNumber = columns.firstIndex { $0.name.isSameName(as: rowNumber) }
    names = try columns.map { try $0.name.quotedName }
    try Self.checkNames(of: columns, type)
    key = try (M.keys.first?.columns ?? []).map { column in
      guard let index = columns.firstIndex(where: { $0.name == column }) else {
        throw LoadError(noColumn: column, in: type)
      }
      return index
    }
  }

  private static func checkNames<M: StoredModel>(
    of columns: [TableColumn], _ type: M.Type
  ) throws {
    var known: [String: String] = [:]
    for column in columns {
      if let other = known.updateValue(column.name, forKey: column.name.foldedName) {
        throw LoadError(sameColumns: other, column.name, of: type)
      }
    }
  }
}

extension Table {
  var insertion: String {
    let parameters = names.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
    return "INSERT INTO \(name) (\(names.joined(separator: ", "))) VALUES (\(parameters))"
  }

  /// Updates a row only if it differs, so that an equal row doesn't count as changed. Columns that
  /// the model doesn't have keep their values, and so do those that are named.
  func upsertion<M: StoredModel>(_ type: M.Type, keeping kept: [String]) throws -> String {
    for name in kept where !columns.contains(where: { $0.name.isSameName(as: name) }) {
      throw LoadError(noColumnToKeep: name, in: type)
    }
    let resolution = resolution(keeping: kept)
    let targets = rowNumber.map { key == [$0] } == true ? [keyColumns] : [keyColumns, nilKey]
    return targets.reduce(insertion) { "\($0) ON CONFLICT \($1) \(resolution)" }
  }

  private func resolution(keeping kept: [String]) -> String {
    let others = names.indices.filter { index in
      !key.contains(index) && !kept.contains { columns[index].name.isSameName(as: $0) }
    }
    guard !others.isEmpty else { return "DO NOTHING" }
    // The parameters, and not SQLite's `excluded`, which a table may be called.
    let values = others.map { "\(names[$0]) = ?\($0 + 1)" }.joined(separator: ", ")
    let differs = others.map { "\(name).\(names[$0]) IS NOT ?\($0 + 1)" }.joined(separator: " OR ")
    return "DO UPDATE SET \(values) WHERE \(differs)"
  }

  var update: String {
    let values = names.indices.map { "\(names[$0]) = ?\($0 + 1)" }.joined(separator: ", ")
    return "UPDATE \(name) SET \(values) WHERE \(isThisRow)"
  }

  var deletion: String { "DELETE FROM \(name) WHERE \(isThisRow)" }

  private var keyColumns: String { "(\(key.map { names[$0] }.joined(separator: ", ")))" }

  private var nilKey: String { Self.nilKey(of: key.map { names[$0] }) }

  private var isThisRow: String {
    key.map { "\(name).\(names[$0]) IS ?\($0 + 1)" }.joined(separator: " AND ")
  }
}

extension Table {
  /// The terms of an index over the rows whose key contains `NULL`, and the condition for them. In
  /// a unique index `NULL` differs from `NULL` (<https://sqlite.org/nulls.html>), so the terms say
  /// whether a column is `NULL`.
  static func nilKey(of columns: [String]) -> String {
    let terms = columns.flatMap { ["\($0) IS NULL", "ifnull(\($0), 0)"] }
    let condition = columns.map { "\($0) IS NULL" }.joined(separator: " OR ")
    return "(\(terms.joined(separator: ", "))) WHERE \(condition)"
  }
}
