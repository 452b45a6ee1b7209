extension Row {
  // What times hide: each allocation costs more when memory is cold. Closures' own contexts aren't
  // counted, these capture nothing.
  public static let createAllocations = Row(
    "create-allocations", operations: 1_000, by: .allocations, goals: [.allowed: 1])
  public static let mapAllocations = Row(
    "map-1000-allocations", operations: 1_000, by: .allocations, goals: [.allowed: 1])
  public static let mapCapturingAllocations = Row(
    "map-1000-capturing-allocations", operations: 1_000, by: .allocations, goals: [.allowed: 1])
  public static let allAllocations = Row(
    "all-1000-allocations", operations: 1_000, by: .allocations)
  public static let awaitAllocations = Row(
    "await-resolved-allocations", operations: 1_000, by: .allocations, goals: [.allowed: 1])

  // What a program that keeps many promises needs.
  public static let pendingBytes = Row(
    "pending-with-handler", operations: 1_000, by: .bytes, goals: [.allowed: 1])

  // Whether a chain behind one event hops once, and not once a link.
  public static let hops = Row("chain-100-hops", operations: 1, by: .hops, goals: [.allowed: 1])

  /// The rows of the promise suite that are counted, in the order of the table.
  static let promiseCounts = [
    createAllocations, mapAllocations, mapCapturingAllocations,
    allAllocations, awaitAllocations, pendingBytes, hops,
  ]
}
