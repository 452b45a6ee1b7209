import Rows

extension Row {
  /// Registers a goal in nanoseconds of processor time for each operation, as if somebody needed
  /// that much.
  public func registerAllowed(nanoseconds: Int) {
    let costs = [measure: nanoseconds * operations]
    Suite.add(Contender(subject: .allowed) { costs }, to: self)
  }

  /// Registers what a subject's way of doing the work of this row uses up, where that is counted.
  ///
  /// - Parameter body: Does it as often as it is told, and returns the count.
  public func registerCount(_ subject: Subject, _ body: @escaping @Sendable (Int) -> Int) {
    Suite.add(Contender(subject: subject) { [measure: body(operations)] }, to: self)
  }

  /// Registers a subject's way of doing the work of this row, where a figure of its own is read off
  /// it.
  ///
  /// - Parameter body: Does it, and returns the figure.
  public func registerTail(_ subject: Subject, _ body: @escaping @Sendable () async -> Int) {
    Suite.add(Contender(subject: subject) { [measure: waiting(for: body)] }, to: self)
  }
}
