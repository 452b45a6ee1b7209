internal import ResourceLoading

/// A model's table as a connection writes it.
///
/// All of its statements number their parameters by column, the first is `?1`, so that a row is bound to
/// each of them in the same way.
struct Table {
  /// The quoted name.
  let name: String
  /// The columns that the model is known to encode; the table may have more.
  let columns: [TableColumn]
  private let names: [String]
  /// Where the columns of the first key are.
  private let key: [Int]

  /// Puts the names of a model and its columns together.
  ///
  /// - Throws: A `LoadError` of kind `store` where a name can't be one, or the key isn't among the columns.
  init<M: Model>(_ type: M.Type, columns: [TableColumn]) throws {
    name = try M.table.quotedName
    self.columns = columns
    names = try columns.map { try $0.name.quotedName }
    key = try (M.keys.first?.columns ?? []).map { column in
      guard let index = columns.firstIndex(where: { $0.name == column }) else {
        throw LoadError(noColumn: column, in: type)
      }
      return index
    }
  }
}

extension Table {
  var insertion: String {
    let parameters = names.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
    return "INSERT INTO \(name) (\(names.joined(separator: ", "))) VALUES (\(parameters))"
  }

  /// Replaces what differs only, so that a row that is the same already counts as unchanged; columns that
  /// the model doesn't know keep what they have.
  var upsertion: String {
    let others = names.indices.filter { !key.contains($0) }.map { names[$0] }
    let conflict = "\(insertion) ON CONFLICT (\(keyNames.joined(separator: ", ")))"
    guard !others.isEmpty else { return "\(conflict) DO NOTHING" }
    let values = others.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
    let differs = others.map { "\(name).\($0) IS NOT excluded.\($0)" }.joined(separator: " OR ")
    return "\(conflict) DO UPDATE SET \(values) WHERE \(differs)"
  }

  var update: String {
    let values = names.indices.map { "\(names[$0]) = ?\($0 + 1)" }.joined(separator: ", ")
    return "UPDATE \(name) SET \(values) WHERE \(isThisRow)"
  }

  var deletion: String { "DELETE FROM \(name) WHERE \(isThisRow)" }

  private var keyNames: [String] { key.map { names[$0] } }

  private var isThisRow: String {
    key.map { "\(name).\(names[$0]) IS ?\($0 + 1)" }.joined(separator: " AND ")
  }
}

extension String {
  /// The text as the name of a table or a column, whatever it holds.
  ///
  /// - Throws: A `LoadError` of kind `store` for a text with NUL, where SQLite would stop reading.
  var quotedName: String {
    get throws {
      guard !utf8.contains(0) else {
        throw LoadError(.store, "a name with NUL in it can't be that of a table or a column")
      }
      return "\"\(replacing("\"", with: "\"\""))\""
    }
  }
}
