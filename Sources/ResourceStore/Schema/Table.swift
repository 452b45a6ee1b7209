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
  /// Where the column is that is SQLite's row number, if one is.
  let rowNumber: Int?
  private let names: [String]
  /// Where the columns of the first key are.
  private let key: [Int]

  /// Puts the names of a model and its columns together.
  ///
  /// - Throws: A `LoadError` of kind `store` where a name can't be one, or the key isn't among the columns.
  init<M: StoredModel>(_ type: M.Type, columns: [TableColumn], rowNumber: String?) throws {
    name = try M.table.quotedName
    self.columns = columns
    self.rowNumber = columns.firstIndex { $0.name.isSameName(as: rowNumber) }
    names = try columns.map { try $0.name.quotedName }
    try Self.refuseSameNames(in: columns, of: type)
    key = try (M.keys.first?.columns ?? []).map { column in
      guard let index = columns.firstIndex(where: { $0.name == column }) else {
        throw LoadError(noColumn: column, in: type)
      }
      return index
    }
  }
}

extension Table {
  private static func refuseSameNames<M: StoredModel>(
    in columns: [TableColumn], of type: M.Type
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

  /// Replaces what differs only, so that a row that is the same already counts as unchanged; columns that
  /// the model doesn't know keep what they have.
  var upsertion: String {
    let resolution = resolution
    let targets = rowNumber.map { key == [$0] } == true ? [keyColumns] : [keyColumns, nilKey]
    return targets.reduce(insertion) { "\($0) ON CONFLICT \($1) \(resolution)" }
  }

  private var resolution: String {
    let others = names.indices.filter { !key.contains($0) }.map { names[$0] }
    guard !others.isEmpty else { return "DO NOTHING" }
    let values = others.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
    let differs = others.map { "\(name).\($0) IS NOT excluded.\($0)" }.joined(separator: " OR ")
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
  /// What an index of the rows lists whose key has `NULL` in it, and the condition for them.
  ///
  /// For a unique index each `NULL` is another value (<https://sqlite.org/nulls.html>); whether there is one isn't.
  ///
  /// - Parameter columns: Their quoted names.
  static func nilKey(of columns: [String]) -> String {
    let terms = columns.flatMap { ["\($0) IS NULL", "ifnull(\($0), 0)"] }
    let condition = columns.map { "\($0) IS NULL" }.joined(separator: " OR ")
    return "(\(terms.joined(separator: ", "))) WHERE \(condition)"
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
      guard utf8.contains(UInt8(ascii: "\"")) else { return "\"\(self)\"" }
      return "\"\(replacing("\"", with: "\"\""))\""
    }
  }

  /// Whether another name is the same for SQLite, which doesn't tell ASCII letters apart by case.
  func isSameName(as other: String?) -> Bool {
    guard let other, utf8.count == other.utf8.count else { return false }
    return utf8.elementsEqual(other.utf8) { $0.lowercasedASCII == $1.lowercasedASCII }
  }

  /// The form of a name that is the same for all names that are the same for SQLite.
  var foldedName: String { String(decoding: utf8.map(\.lowercasedASCII), as: UTF8.self) }
}

extension UInt8 {
  fileprivate var lowercasedASCII: UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
  }
}
