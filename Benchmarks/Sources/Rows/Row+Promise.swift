extension Row {
  // What a promise costs at all: the price of the type itself, without a chain.
  public static let createInline = Row(
    "create-observe-resolve", operations: 10_000, goals: [.nio: 0.8])
  public static let createDefault = Row(
    "create-observe-resolve-hop", operations: 1_000, by: .wallClock)

  // What a link costs (an operation is a link), in short, usual chains, in long ones, and where
  // others' stacks end.
  public static let map10 = Row("map-10", operations: 10_000, goals: [.nio: 0.85])
  public static let map1000 = Row("map-1000", operations: 10_000, goals: [.nio: 0.85])
  public static let mapMillion = Row("map-1000000", operations: 1_000_000, goals: [.nio: 1.1])
  public static let mapDefault10 = Row("map-10-hop", operations: 10_000, by: .wallClock)
  public static let mapDefault1000 = Row("map-1000-hop", operations: 10_000, by: .wallClock)

  // Whether waiting for many stays linear (an operation is an input).
  public static let all100 = Row("all-100", operations: 10_000)
  public static let all1000 = Row("all-1000", operations: 10_000)
  public static let all10000 = Row("all-10000", operations: 10_000, goals: [.nio: 0.5])

  // What the bridge to `await` adds to the language's own means. As many are pending as a program
  // has.
  public static let awaitResolved = Row(
    "await-resolved", operations: 10_000, goals: [.task: 1.0])
  public static let awaitPending = Row(
    "await-pending", operations: 1_000, goals: [.cancellable: 1.2])
  public static let awaitMade = Row("make-await-resolve", operations: 10_000)

  // What coming from another thread costs when the machine sets the price.
  public static let hop = Row("hop", operations: 1_000, onOneCore: true)

  /// All rows of the promise suite, in the order of the table.
  public static let promises = promiseTimes + promiseCounts

  private static let promiseTimes = [
    createInline, createDefault, map10, map1000, mapMillion, mapDefault10,
    mapDefault1000,
    all100, all1000, all10000, awaitResolved, awaitPending, awaitMade, hop,
  ]
}
