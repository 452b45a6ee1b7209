internal import ResourceLoading

extension Connection {
  /// Removes the rows that fulfil a condition, in a transaction that is under way.
  ///
  /// - Returns: How many there were.
  func delete<M: Model>(_ type: M.Type, where condition: Condition<M>) throws -> Int {
    try runOnTable(type) { text in
      try text.append("DELETE FROM \(M.table.quotedName)")
      try text.append(where: condition)
    }
  }

  /// Gives columns new values in the rows that fulfil a condition, in a transaction that is under way.
  ///
  /// - Returns: How many there were.
  func update<M: Model>(
    _ type: M.Type, set assignments: [Assignment<M>], where condition: Condition<M>
  ) throws -> Int {
    guard !assignments.isEmpty else { return 0 }
    try addColumns(assignments.map(\.column), to: type)
    return try runOnTable(type) { text in
      try text.append("UPDATE \(M.table.quotedName) SET ")
      for (index, assignment) in assignments.enumerated() {
        if index > 0 { text.append(", ") }
        try text.append("\(assignment.column.quotedName) = ")
        text.append(try assignment.value.stored)
      }
      try text.append(where: condition)
    }
  }

  private func runOnTable<M: Model>(
    _ type: M.Type, _ build: (inout QueryText<M>) throws -> Void
  ) throws -> Int {
    guard let statement = try statement(for: type, build) else { return 0 }
    defer { statement.clear() }
    let count = try run(statement)
    if count > 0 { changed.insert(M.table) }
    return count
  }

  /// A column that no row has had yet, but which some shall have now.
  private func addColumns<M: Model>(_ names: [String], to type: M.Type) throws {
    let found = try columns(of: M.table).map(\.name)
    guard !found.isEmpty else { return }
    for name in names where !found.contains(name) {
      try execute("ALTER TABLE \(M.table.quotedName) ADD COLUMN \(name.quotedName)")
    }
  }
}
