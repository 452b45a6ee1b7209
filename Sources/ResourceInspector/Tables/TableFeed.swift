/// The tables for a page that follows them: they are read every second, unless an object takes longer
/// to answer.
struct TableFeed {
  private let sources: TableSources
  private var readings: [TableReading] = []
  /// When the readings began.
  private var start: ContinuousClock.Instant?
  private var isReading = false
  private var last: [ShownTable] = []

  static let interval = Duration.seconds(1)

  init(_ sources: TableSources) { self.sources = sources }
}

extension TableFeed {
  /// Returns the tables if they have changed; otherwise `nil`. It doesn't wait: a table that isn't
  /// known in time says so.
  mutating func next(at now: ContinuousClock.Instant = .now) -> [ShownTable]? {
    let elapsed = start.map { now - $0 } ?? Self.interval
    guard isReading else {
      if elapsed >= Self.interval { (readings, start, isReading) = (sources.readings(), now, true) }
      return nil
    }
    let haveEnded = readings.allSatisfy(\.hasEnded)
    guard haveEnded || elapsed >= sources.patience else { return nil }
    isReading = !haveEnded
    let tables = readings.compactMap(\.table)
    guard tables != last else { return nil }
    last = tables
    return tables
  }
}
