internal import ResourceLoading

/// A query for rows of a model's table, or a change of them: its text, with a parameter for each
/// value.
struct SQLQuery<M: StoredModel> {
  private(set) var text = ""
  private(set) var values: [StoredValue] = []
  /// The folded names of the table's columns, if they were looked up; other columns are `NULL` in
  /// every row.
  private let known: Set<String>?
  private let table: String

  enum Verb {
    case select, count, delete
    case update([Assignment<M>])
  }

  /// The error for a name that has another meaning in SQLite if there is no such column.
  struct AmbiguousName: Error {}

  init(_ verb: Verb, _ selection: Selection<M>, known: Set<String>? = nil) throws {
    self.known = known
    table = try M.table.quotedName
    try append(verb)
    if selection.condition.tree != .all {
      text += " WHERE "
      try append(selection.condition.tree)
    }
    try append(selection.order)
    guard selection.limit != nil || selection.offset > 0 else { return }
    text += " LIMIT "
    // -1 means no limit.
    append(.integer(Int64(selection.limit ?? -1)))
    guard selection.offset > 0 else { return }
    text += " OFFSET "
    append(.integer(Int64(selection.offset)))
  }
}

extension SQLQuery {
  private mutating func append(_ value: StoredValue) {
    text += "?"
    values.append(value)
  }

  private mutating func append(_ verb: Verb) throws {
    switch verb {
    case .select: text = "SELECT * FROM \(table)"
    case .count: text = "SELECT count(*) FROM \(table)"
    case .delete: text = "DELETE FROM \(table)"
    case .update(let assignments):
      text = "UPDATE \(table) SET "
      for (index, assignment) in assignments.enumerated() {
        text += "\(index == 0 ? "" : ", ")\(try assignment.column.name.quotedName) = "
        append(try assignment.value.stored)
      }
    }
  }

  private mutating func append(_ order: [Ordering<M>]) throws {
    for (index, ordering) in order.enumerated() {
      text += index == 0 ? " ORDER BY " : ", "
      try append(ordering.column)
      if ordering.isDescending { text += " DESC" }
    }
  }

  /// Writes the column with its table, because SQLite reads an unknown quoted name alone as a text.
  private mutating func append(_ column: String) throws {
    if let known {
      guard known.contains(column.foldedName) else {
        text += "NULL"
        return
      }
    } else if ["rowid", "oid", "_rowid_"].contains(where: column.isSameName) {
      // SQLite's names for the number of a row, unless a column has the name
      // (<https://sqlite.org/lang_createtable.html#rowid>).
      throw AmbiguousName()
    }
    text += "\(table).\(try column.quotedName)"
  }
}

extension SQLQuery {
  private mutating func append(_ tree: ConditionTree) throws {
    switch tree {
    case .all: text += "TRUE"
    case .compare(let column, let comparison, let value):
      try append(column.name, comparison, value)
    case .isIn(let column, let values): try append(column.name, isIn: values)
    case .contains(let column, let value, let onlyAtStart):
      text += "instr("
      try append(column.name)
      text += ", "
      append(try value.stored)
      text += onlyAtStart ? ") = 1" : ") > 0"
    case .junction(let junction):
      text += "("
      try append(junction.left)
      text += junction.op == .and ? " AND " : " OR "
      try append(junction.right)
      text += ")"
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

  private mutating func append(
    _ column: String, _ comparison: ConditionTree.Comparison, _ operand: Operand
  ) throws {
    guard operand != .notANumber else {
      text += comparison == .different ? "TRUE" : "FALSE"
      return
    }
    let value = try operand.stored
    try append(column)
    text += comparison.sign(isNull: value == .null)
    append(value)
    // Columns store NaN as a text, which is greater than every number for SQLite.
    guard case .real = value, [.greater, .atLeast].contains(comparison) else { return }
    text += " AND "
    try append(column)
    text += " <= 9e999"
  }

  private mutating func append(_ column: String, isIn operands: [Operand]) throws {
    let listed = try operands.filter { $0 != .notANumber }.map { try $0.stored }
    text += "("
    try append(column)
    text += " IN ("
    for (index, value) in listed.filter({ $0 != .null }).enumerated() {
      if index > 0 { text += ", " }
      append(value)
    }
    text += ")"
    // In the list, NULL would match nothing.
    if listed.contains(.null) {
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
