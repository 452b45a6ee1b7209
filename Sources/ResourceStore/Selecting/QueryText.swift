/// A statement in the making: its text, in which values are parameters, and the values.
struct QueryText<M: Model> {
  private(set) var text = ""
  private(set) var values: [StoredValue] = []
  /// The columns that the table has, where it was looked up; others are `NULL` in every row.
  private let known: Set<String>?
  private let table: String

  init(known: Set<String>? = nil) throws {
    self.known = known
    table = try M.table.quotedName
  }

  mutating func append(_ text: String) { self.text += text }

  mutating func append(_ value: StoredValue) {
    values.append(value)
    text += "?\(values.count)"
  }
}

extension QueryText {
  /// ` WHERE …`, or nothing for the condition that is always true.
  mutating func append(where condition: Condition<M>) throws {
    guard condition.test != .all else { return }
    append(" WHERE ")
    try append(condition.test)
  }

  /// ` ORDER BY …`, or nothing.
  mutating func append(order: [Ordering<M>]) throws {
    for (index, ordering) in order.enumerated() {
      append(index == 0 ? " ORDER BY " : ", ")
      try append(column: ordering.column)
      if ordering.isDescending { append(" DESC") }
    }
  }

  /// ` LIMIT … OFFSET …`, or nothing.
  mutating func append(limit: Int?, offset: Int) {
    guard limit != nil || offset > 0 else { return }
    append(" LIMIT ")
    // In SQLite's words: -1 is no limit.
    append(.integer(Int64(limit ?? -1)))
    guard offset > 0 else { return }
    append(" OFFSET ")
    append(.integer(Int64(offset)))
  }

  /// The table stands before the name, because SQLite takes an unknown name in quotes for a text.
  private mutating func append(column: String) throws {
    guard known?.contains(column) ?? true else { return append("NULL") }
    append("\(table).\(try column.quotedName)")
  }
}

extension QueryText {
  private mutating func append(_ test: ConditionTest) throws {
    switch test {
    case .all: append("TRUE")
    case .compare(let column, let comparison, let value):
      try append(column: column)
      try append(comparison, value)
    case .isIn(let column, let values): try append(column, isIn: values)
    case .contains(let column, let text, let onlyAtStart):
      append("instr(")
      try append(column: column)
      append(", ")
      append(try text.stored)
      append(onlyAtStart ? ") = 1" : ") > 0")
    case .and(let one, let other): try append(one, "AND", other)
    case .or(let one, let other): try append(one, "OR", other)
    case .not(let test):
      // What compares with NULL is neither true nor false for SQLite, and false for Swift.
      append("NOT ifnull(")
      try append(test)
      append(", FALSE)")
    }
  }

  private mutating func append(
    _ one: ConditionTest, _ word: String, _ other: ConditionTest
  ) throws {
    append("(")
    try append(one)
    append(" \(word) ")
    try append(other)
    append(")")
  }

  private mutating func append(
    _ comparison: ConditionTest.Comparison, _ value: Operand
  ) throws {
    let sign =
      switch comparison {
      case .equal: " IS "
      case .different: " IS NOT "
      case .less: " < "
      case .atMost: " <= "
      case .greater: " > "
      case .atLeast: " >= "
      }
    append(sign)
    append(try value.stored)
  }

  private mutating func append(_ column: String, isIn values: [Operand]) throws {
    let values = try values.map { try $0.stored }
    append("(")
    try append(column: column)
    append(" IN (")
    for (index, value) in values.filter({ $0 != .null }).enumerated() {
      if index > 0 { append(", ") }
      append(value)
    }
    append(")")
    if values.contains(.null) {
      append(" OR ")
      try append(column: column)
      append(" IS NULL")
    }
    append(")")
  }
}
