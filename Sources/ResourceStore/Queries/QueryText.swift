internal import ResourceLoading

/// Writes the text of a query, with a parameter for each value.
struct QueryText<M: StoredModel> {
  private(set) var text = ""
  /// The folded names of the table's columns, if they were looked up; other columns are `NULL` in every row.
  private let known: Set<String>?
  private let table: String

  /// The error for a name that has another meaning in SQLite if there is no such column.
  struct AmbiguousName: Error {}

  /// Writes a query.
  ///
  /// - Throws: A `LoadError` of kind `store` for names and conditions that SQLite doesn't accept, and `AmbiguousName`
  ///   if the columns must be looked up.
  init(_ query: SQLQuery<M>, known: Set<String>? = nil) throws {
    self.known = known
    table = try M.table.quotedName
    try append(query.verb)
    if query.condition.tree != .all {
      text += " WHERE "
      try append(query.condition.tree)
    }
    try append(query.order)
    if query.hasPage { text += query.offset > 0 ? " LIMIT ? OFFSET ?" : " LIMIT ?" }
  }
}

extension QueryText {
  /// - Throws: A `LoadError` of kind `store` for a name that SQLite can't have.
  private mutating func append(_ verb: QueryVerb) throws {
    switch verb {
    case .select: text = "SELECT * FROM \(table)"
    case .count: text = "SELECT count(*) FROM \(table)"
    case .delete: text = "DELETE FROM \(table)"
    case .update(let columns):
      let assignments = try columns.map { "\(try $0.quotedName) = ?" }.joined(separator: ", ")
      text = "UPDATE \(table) SET \(assignments)"
    }
  }

  /// - Throws: A `LoadError` of kind `store` for a name that SQLite can't have, and `AmbiguousName`.
  private mutating func append(_ order: [Ordering<M>]) throws {
    for (index, ordering) in order.enumerated() {
      text += index == 0 ? " ORDER BY " : ", "
      try append(ordering.column)
      if ordering.isDescending { text += " DESC" }
    }
  }

  /// Writes the column with its table, because SQLite takes an unknown quoted name alone for a text.
  ///
  /// - Throws: A `LoadError` of kind `store` for a name that SQLite can't have, and `AmbiguousName`.
  private mutating func append(_ column: String) throws {
    if let known {
      guard known.contains(column.foldedName) else {
        text += "NULL"
        return
      }
    } else if Self.rowNumberNames.contains(column.foldedName) {
      throw AmbiguousName()
    }
    text += "\(table).\(try column.quotedName)"
  }

  /// SQLite's names for the number of a row, unless a column has the name
  /// (<https://sqlite.org/lang_createtable.html#rowid>).
  private static var rowNumberNames: Set<String> { ["rowid", "oid", "_rowid_"] }
}

extension QueryText {
  /// - Throws: A `LoadError` of kind `store` for a condition that is too deep or has such a name, and
  ///   `AmbiguousName`.
  private mutating func append(_ tree: ConditionTree) throws {
    switch tree {
    case .all: text += "TRUE"
    case .compare(let column, let comparison, let value):
      try append(column.name, comparison, value)
    case .isIn(let column, let values): try append(column.name, isIn: values)
    case .contains(let column, _, let onlyAtStart):
      text += "instr("
      try append(column.name)
      text += onlyAtStart ? ", ?) = 1" : ", ?) > 0"
    case .junction(let junction): try append(junction)
    case .not(let tree, _):
      // A comparison with NULL is neither true nor false in SQLite, and false in Swift.
      text += "NOT ifnull("
      try append(tree)
      text += ", FALSE)"
    case .tooDeep:
      throw LoadError(
        .store, "a condition is nested too deep",
        advice: "Join fewer levels of && and || in one another; isIn(_:) takes many values")
    }
  }

  /// - Throws: What its conditions throw.
  private mutating func append(_ junction: ConditionTree.Junction) throws {
    text += "("
    try append(junction.left)
    text += junction.op == .and ? " AND " : " OR "
    try append(junction.right)
    text += ")"
  }

  /// - Throws: What appending the column throws.
  private mutating func append(
    _ column: String, _ comparison: ConditionTree.Comparison, _ value: Operand
  ) throws {
    guard value.shape != .notANumber else {
      text += comparison == .different ? "TRUE" : "FALSE"
      return
    }
    // Columns store NaN as a text, which is greater than every number for SQLite.
    let isBounded = value.shape == .real && [.greater, .atLeast].contains(comparison)
    text += isBounded ? "(" : ""
    try append(column)
    text += "\(comparison.sign(isNull: value.shape == .null))?"
    guard isBounded else { return }
    text += " AND "
    try append(column)
    text += " <= 9e999)"
  }

  /// - Throws: What appending the column throws.
  private mutating func append(_ column: String, isIn values: [Operand]) throws {
    let count = values.count(where: \.isListed)
    text += "("
    try append(column)
    text += " IN (\(Array(repeating: "?", count: count).joined(separator: ", ")))"
    if values.contains(where: { $0.shape == .null }) {
      text += " OR "
      try append(column)
      text += " IS NULL"
    }
    text += ")"
  }
}

extension ConditionTree.Comparison {
  /// The operator. `IS` is used for `NULL` only, because SQLite optimises alternatives with `=`.
  fileprivate func sign(isNull: Bool) -> String {
    switch self {
    case .equal: isNull ? " IS " : " = "
    case .different: " IS NOT "
    case .less: " < "
    case .atMost: " <= "
    case .greater: " > "
    case .atLeast: " >= "
    }
  }
}
