import Dispatch
import PromiseModule
import ResourceLoading
import ResourcePrimitives
import Synchronization

/// An object that a page shows in a table. It isn't kept alive.
struct TableSource: Sendable {
  let id: Int
  let title: String
  fileprivate let object: ObjectIdentifier
  fileprivate let isAlive: @Sendable () -> Bool
  fileprivate let read: @Sendable (InspectedTable.Context) async throws -> InspectedTable.Content?

  init<Object: AnyObject & Sendable>(
    _ object: Object, id: Int, title: String,
    _ read:
      @escaping @Sendable (Object, InspectedTable.Context) async throws
      -> InspectedTable.Content
  ) {
    (self.id, self.title) = (id, title)
    self.object = ObjectIdentifier(object)
    isAlive = { [weak object] in object != nil }
    self.read = { [weak object] context in
      guard let object else { return nil }
      return try await read(object, context)
    }
  }
}

extension InspectedTable {
  /// What is read from an object.
  struct Content: Sendable {
    var note: String
    var columns: [Column] = []
    var rows: [[Cell]] = []
  }

  fileprivate init(_ source: TableSource, _ content: Content) {
    self.init(
      id: source.id, title: source.title.printable, note: content.note, columns: content.columns,
      rows: content.rows)
  }
}

/// The objects beside clients that an inspector shows, in the order in which they were added.
final class TableSources: Sendable {
  private let log: LoadLog
  /// How long an object may take to answer.
  let patience: Duration
  private let state = Mutex<(sources: [TableSource], last: Int)>(([], 0))

  init(_ log: LoadLog, patience: Duration = .seconds(1)) {
    (self.log, self.patience) = (log, patience)
  }

  /// Adds an object, or changes its title.
  func add<Object: AnyObject & Sendable>(
    _ object: Object, title: String, _ name: String,
    _ read:
      @escaping @Sendable (Object, InspectedTable.Context) async throws
      -> InspectedTable.Content
  ) {
    let title = name.isEmpty ? title : "\(title): \(name)"
    state.withLock { state in
      state.last += 1
      state.sources.removeAll { !$0.isAlive() || $0.object == ObjectIdentifier(object) }
      state.sources.append(TableSource(object, id: state.last, title: title, read))
    }
  }

  /// Begins to read all objects that are still there.
  func readings() -> [TableReading] {
    let sources = state.withLock(\.sources)
    guard !sources.isEmpty else { return [] }
    let context = InspectedTable.Context(
      secretNames: log.secretNames, urls: { [log] in log.urls })
    return sources.map { TableReading($0, context) }
  }

  /// Returns the tables of all objects, and waits for them for a limited time: the main actor, for
  /// example, may be busy.
  func tables() async -> [InspectedTable] {
    let (readings, end) = (readings(), ContinuousClock.now + patience)
    for reading in readings { await reading.wait(until: end) }
    return readings.compactMap(\.table)
  }

  /// Returns the same, and blocks the thread.
  func tablesNow() -> [InspectedTable] {
    let (readings, end) = (readings(), DispatchTime.now() + patience.seconds)
    for reading in readings { reading.block(until: end) }
    return readings.compactMap(\.table)
  }
}

/// The table of an object that is being read.
struct TableReading: Sendable {
  private let source: TableSource
  private let content: Promise<InspectedTable.Content?>

  fileprivate init(_ source: TableSource, _ context: InspectedTable.Context) {
    self.source = source
    content = Promise { try await source.read(context) }
  }

  var hasEnded: Bool { content.result != nil }

  /// The table as far as it is known; `nil` if the object is gone.
  var table: InspectedTable? {
    switch content.result {
    case .success(let content): content.map { InspectedTable(source, $0) }
    case .failure(let error as LoadError):
      InspectedTable(source, .init(note: "It can't be read: \(error.reason)".printable))
    case .failure: InspectedTable(source, .init(note: "It can't be read."))
    case nil: InspectedTable(source, .init(note: "It hasn't answered yet."))
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
