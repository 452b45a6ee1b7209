/// Which rows of a model are wanted, in which order, and how many of them.
public struct Selection<M: Model>: Sendable, Hashable {
  /// What rows must fulfil.
  public var condition: Condition<M>
  /// By what they are sorted: by the first, then by the next. Without any the order is open.
  public var order: [Ordering<M>]
  /// How many there are at most; `nil` sets no limit.
  public var limit: Int?
  /// How many are left out at the beginning.
  public var offset: Int

  /// Asks for rows.
  ///
  /// - Parameters:
  ///   - condition: What they must fulfil.
  ///   - order: By what they are sorted.
  ///   - limit: How many there are at most; `nil` sets no limit.
  ///   - offset: How many are left out at the beginning.
  public init(
    where condition: Condition<M> = .all, order: [Ordering<M>] = [], limit: Int? = nil,
    offset: Int = 0
  ) {
    precondition((limit ?? 0) >= 0 && offset >= 0, "limit and offset must not be negative")
    self.condition = condition
    self.order = order
    self.limit = limit
    self.offset = offset
  }
}
