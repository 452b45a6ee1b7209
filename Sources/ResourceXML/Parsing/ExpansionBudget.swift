/// How much entities and attribute defaults have added so far.
struct ExpansionBudget: Sendable {
  /// Below this no ratio counts, so that small documents may use entities freely.
  static let free = 1 << 20

  private(set) var spent = 0

  /// Takes `size` bytes and a little for the work around them.
  ///
  /// - Throws: A limit error when they are too many for a document of `documentSize` bytes so far.
  mutating func spend(
    _ size: Int, documentSize: Int, limits: XMLLimits, at offset: Int
  ) throws(Failure) {
    spent += size + 4
    guard spent <= limits.expandedSize else {
      throw Failure(.limit, "entities and defaults expand to too much", at: offset)
    }
    if spent > ExpansionBudget.free, spent / limits.expansionRatio > documentSize {
      throw Failure(.limit, "entities and defaults expand out of proportion", at: offset)
    }
  }
}

extension ExpansionBudget {
  /// Forgets what a token took that has to be read again.
  mutating func reset(to spent: Int) {
    self.spent = spent
  }
}
