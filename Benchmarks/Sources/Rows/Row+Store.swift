extension Row {
  // What it costs to keep what was loaded (an operation is a row, all of them are one transaction).
  public static let storeInsert = Row(
    "store-insert-10000", operations: 10_000, goals: [.grdb: 0.25, .sqlite: 1.5])

  // What it costs to show it again, as models.
  public static let storeSelect = Row(
    "store-select-10000", operations: 10_000, goals: [.grdb: 0.6, .sqlite: 2.0], onOneCore: true)

  // What a row costs that is a transaction of its own, or is looked up alone by its key: here the
  // way to the connection and back weighs most, which the other two, called without waiting, don't
  // have.
  public static let storeInsertOne = Row("store-insert-one", operations: 1_000)
  public static let storeSelectOne = Row("store-select-one", operations: 1_000)

  // What a write costs that is added to an outbox, each in a transaction of its own, beside one row
  // for it: as many as that wait already, since whoever was offline for long adds no slower than
  // before.
  public static let outboxAdd = Row("outbox-add", operations: 1_000)
  public static let outboxAddAtMany = Row(
    "outbox-add-at-100000", operations: 1_000, goals: [.allowed: 1])

  // What a program waits for at its start when so many wait (an operation opens the file and the
  // outbox, and closes them).
  public static let outboxOpenWithMany = Row(
    "outbox-open-with-100000", operations: 1, goals: [.allowed: 1])

  // What it costs to pull what a server has into a synced collection, beside storing the same pages
  // by hand: to compute, and to write.
  public static let syncPull = Row(
    "sync-pull-100000", operations: 100_000, goals: [.plainUpsert: 1.2])
  public static let syncPullBytes = Row(
    "sync-pull-100000-written", operations: 100_000, by: .bytes, goals: [.plainUpsert: 1.2])

  // How long an edit takes to its first appearance in an observer, among 100,000 rows.
  public static let syncEdit = Row(
    "sync-edit-to-observer", operations: 100, by: .wallClock, goals: [.allowed: 1])

  /// All rows of the store suite, in the order of the table.
  public static let store = [
    storeInsert, storeSelect, storeInsertOne, storeSelectOne, outboxAdd, outboxAddAtMany,
    outboxOpenWithMany, syncPull, syncPullBytes, syncEdit,
  ]
}
