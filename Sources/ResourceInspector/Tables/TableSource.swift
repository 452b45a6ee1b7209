import Dispatch
import PromiseModule
import ResourceLoading
import ResourcePrimitives
import Synchronization

/// What a page shows of an object.
struct ShownTable: Encodable, Equatable, Sendable {
  /// The number of the table in the inspector.
  let id: Int
  let title: String
  let note: String
  let columns: [InspectedTable.Column]
  let rows: [[InspectedTable.Cell]]

  fileprivate init(_ source: TableSource, _ table: InspectedTable) {
    (id, title) = (source.id, source.title.printable)
    (note, columns, rows) = (table.note, table.columns, table.rows)
  }
}

/// An object that a page shows in a table. It isn't kept alive.
private struct TableSource: Sendable {
  let id: Int
  let title: String
  weak let object: (any Inspectable)?
}

/// The objects beside clients that an inspector shows, in the order in which they were added.
final class TableSources: Sendable {
  private let log: LoadLog
  /// How long an object may take to answer.
  let patience: Duration
  private let salt = (0..<16).map { _ in UInt8.random(in: 0...255) }
  private let state = Mutex<(sources: [TableSource], last: Int)>(([], 0))

  init(_ log: LoadLog, patience: Duration = .seconds(1)) {
    (self.log, self.patience) = (log, patience)
  }

  /// Adds an object, or changes its name.
  func add<Object: Inspectable>(_ object: Object, _ name: String) {
    let title = name.isEmpty ? Object.inspectedKind : "\(Object.inspectedKind): \(name)"
    state.withLock { state in
      state.last += 1
      state.sources.removeAll { $0.object == nil || $0.object === object }
      state.sources.append(TableSource(id: state.last, title: title, object: object))
    }
  }

  /// Begins to read all objects that are still there.
  func readings() -> [TableReading] {
    let sources = state.withLock(\.sources)
    guard !sources.isEmpty else { return [] }
    let context = InspectedTable.Context(
      secretNames: log.secretNames, urls: { [log] in log.urls }, salt: salt)
    return sources.map { TableReading($0, context) }
  }

  /// Returns the tables of all objects, and waits for them for a limited time: the main actor, for
  /// example, may be busy.
  func tables() async -> [ShownTable] {
    let (readings, end) = (readings(), ContinuousClock.now + patience)
    for reading in readings { await reading.wait(until: end) }
    return readings.compactMap(\.table)
  }

  /// Returns the same, and blocks the thread.
  func tablesNow() -> [ShownTable] {
    let (readings, end) = (readings(), DispatchTime.now() + patience.seconds)
    for reading in readings { reading.block(until: end) }
    return readings.compactMap(\.table)
  }
}

/// The table of an object that is being read.
struct TableReading: Sendable {
  private let source: TableSource
  private let content: Promise<InspectedTable?>

  fileprivate init(_ source: TableSource, _ context: InspectedTable.Context) {
    self.source = source
    content = Promise { try await source.object?.inspect(context) }
  }

  var hasEnded: Bool { content.result != nil }

  /// The table as far as it is known; `nil` if the object is gone.
  var table: ShownTable? {
    switch content.result {
    case .success(let content): content.map { ShownTable(source, $0) }
    case .failure(let error as LoadError):
      ShownTable(source, InspectedTable(note: "It can't be read: \(error.reason)".printable))
    case .failure: ShownTable(source, InspectedTable(note: "It can't be read."))
    case nil: ShownTable(source, InspectedTable(note: "It hasn't answered yet."))
    }
  }

  fileprivate func wait(until end: ContinuousClock.Instant) async {
    _ = try? await content.shielded().timeout(after: max(.zero, end - .now)).get()
  }

  /// Waits on a thread, because the threads of the program's tasks may all be blocked.
  fileprivate func block(until end: DispatchTime) {
    let ended = DispatchSemaphore(value: 0)
    content.observe(on: .inline) { _ in ended.signal() }
    _ = ended.wait(timeout: end)
  }
}
