extension Retry {
  /// How many retries there may be beside the requests that the program wanted to send, for each origin.
  ///
  /// Each load earns `ratio` of a retry, and a retry costs one. At the beginning, and at most, `reserve`
  /// retries are there. So N loads of a server that answers none cause at most N × `ratio` + `reserve` retries.
  public struct Budget: Sendable, Hashable {
    /// How many retries are there at the beginning, and at most.
    public var reserve: Double

    /// What each load adds.
    public var ratio: Double

    /// Makes a budget.
    ///
    /// - Parameters:
    ///   - reserve: How many retries are there at the beginning, and at most.
    ///   - ratio: What each load adds.
    public init(reserve: Double = 100, ratio: Double = 0.08) {
      self.reserve = reserve
      self.ratio = ratio
    }
  }
}
