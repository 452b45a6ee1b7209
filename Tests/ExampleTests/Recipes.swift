// The samples of the article "Recipes", word for word. The types of swift-log and swift-metrics are
// stand-ins with the declarations that the samples use.

import Dispatch
import Foundation
import PromiseModule
import ResourceLoading
import ResourceOutbox
import ResourceState
import ResourceStore
import ResourceSync
import ResourceTesting
import ResourceTracing
import Synchronization
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

private struct Logger: Sendable {
  typealias Message = LogText
  typealias Metadata = [String: LogText]

  let label: String
  static let lines = Mutex<[String]>([])

  func info(_ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil) {
    Self.lines.withLock { $0.append(message().text) }
  }

  func debug(_ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil) {
    Self.lines.withLock { $0.append("\(metadata()?["load"]?.text ?? ""): \(message().text)") }
  }
}

private struct LogText: ExpressibleByStringInterpolation {
  var text: String
  init(stringLiteral value: String) { text = value }
}

private struct Counter {
  var label: String
  var dimensions: [(String, String)] = []
  static let counted = Mutex<[String]>([])

  func increment() {
    Self.counted.withLock { $0.append(([label] + dimensions.map(\.1)).joined(separator: " ")) }
  }
}

private enum Metrics {
  struct Timer {
    var label: String
    static let longest = Mutex<Int64>(0)

    func recordNanoseconds(_ duration: Int64) {
      Self.longest.withLock { $0 = max($0, duration) }
    }
  }
}

/// Waits for one of these signals. The next one ends the process at once.
private func firstSignal(of numbers: [Int32] = [SIGINT, SIGTERM]) async -> Int32? {
  let queue = DispatchQueue(label: "signals")
  let (signals, arrived) = AsyncStream.makeStream(of: Int32.self)
  let sources = numbers.map { number in
    signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
    source.setEventHandler { arrived.yield(number) }
    source.activate()
    return source
  }
  defer {
    for source in sources { source.cancel() }
    for number in numbers { signal(number, SIG_DFL) }
  }
  return await signals.first { _ in true }
}

private func status(for error: any Error) -> Status {
  switch (error as? LoadError)?.kind {
  case .timedOut: .gatewayTimeout
  case .closed: .serviceUnavailable
  case .some: .badGateway
  case nil: .internalServerError
  }
}

private final class EventLoopExecutor: PromiseExecutor {
  private let run: @Sendable (@escaping @Sendable () -> Void) -> Void

  // Takes `eventLoop.execute`.
  init(_ run: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) { self.run = run }

  func schedule(_ job: @escaping @Sendable () -> Void) { run(job) }
}

private enum Samples {
  struct Note: Codable, Sendable, Equatable {
    var id: Int
  }

  struct AddNote: DurableChange {
    var note: Note

    // A note that the server has already isn't added twice.
    func apply(to changes: inout LiveChanges) {
      changes.update(.notes) { [note] in
        if !$0.contains(note) { $0.append(note) }
      }
    }
  }

  @MainActor
  final class NoteList {
    private let writes: DurableWrites
    private let notes: LiveResource<[Note]>

    init(_ live: LiveResources, _ outbox: Outbox) async throws {
      writes = try await DurableWrites(live, outbox, AddNote.self)
      notes = live.resource(.notes)
    }

    // What the server has, with what it is going to have.
    var shown: [Note] { notes.value ?? [] }

    func add(_ note: Note) async throws {
      try await writes.send(.post("/notes").json(note), as: "notes", AddNote(note: note))
    }
  }
}

extension Resource where R == [Samples.Note] {
  fileprivate static var notes: Self { .json(.get("/notes")) }
}

@Suite(.timeLimit(.minutes(15)))
struct Recipes {
  private let url = URL(string: "https://api.example.org")
  private let transport = StubTransport()

  init() { transport.stub("*", .json("[]"), .status(.notFound)) }

  /// The signal is one that does nothing by default, so that none ends the tests.
  @Test func `a signal ends the wait`() async {
    let waiting = Task { await firstSignal(of: [SIGURG]) }
    // Until the source is registered a signal is lost.
    let sending = Task {
      while !Task.isCancelled {
        kill(getpid(), SIGURG)
        await Task.yield()
      }
    }

    #expect(await waiting.value == SIGURG)
    sending.cancel()
    await sending.value
  }

  @Test func `a program stops and shuts down`() async throws {
    @Sendable func poll(_ client: Client) async throws {
      while true { _ = try await client.load(.text(.get("/items"))) }
    }
    func firstSignal() async -> Int32? { SIGTERM }
    transport.stub("/items", .never)
    let folder = try TemporaryFolder()
    let store = try await SQLiteStore(file: folder.file("store.sqlite"))
    let exporter = OTLPExporter(try #require(URL(string: "https://t.example/")), service: "shop")
    let client = Client(baseURL: url) { $0.transport = transport }
    let outbox = try await Outbox(store: store, client: client)

    let work = Task { try await poll(client) }
    _ = await firstSignal()
    work.cancel()

    work.cancel()
    await outbox.close()  // what hasn't been sent stays in the database
    client.close()  // the remaining loads fail at once
    await exporter.shutDown(within: .seconds(5))  // sends the spans of those loads, too
    await store.close()

    await #expect(throws: CancellationError.self) { try await work.value }
    let closed = await #expect(throws: LoadError.self) { try await client.load(.void(.get("/"))) }
    #expect(closed?.kind == .closed)
  }

  @Test @MainActor func `a list shows what waits in the outbox, too`() async throws {
    let gate = Gate()
    transport.stub("GET /notes", .json(#"[{"id": 1}]"#), .json(#"[{"id": 1}, {"id": 2}]"#))
    transport.stub("POST /notes", .json("{}").waiting(for: gate))
    let client = Client(baseURL: url) { $0.transport = transport }
    let live = LiveResources(client)
    let outbox = try await Outbox(store: .inMemory(), client: client)
    let list = try await Samples.NoteList(live, outbox)
    let notes = live.resource(.notes)

    await notes.reload()
    try await list.add(Samples.Note(id: 2))
    try await gate.waitForArrivals(count: 1)
    #expect(list.shown == [.init(id: 1), .init(id: 2)])
    gate.open()
    // The list is loaded again when the server has answered.
    try await transport.waitForRequests(count: 3)
    while notes.isLoading { await Task.yield() }

    #expect(list.shown == [.init(id: 1), .init(id: 2)])
    live.removeAll()
    await outbox.close()
  }

  @Test func `loads are logged with swift-log`() async throws {
    let transport = transport
    func make(_ url: URL?) -> Client {
      let logger = Logger(label: "org.example.shop")
      let client = Client(baseURL: url) {
        $0.middleware = [LoggingMiddleware { line in logger.info("\(line)") }]
        $0.observer = { event in logger.debug("\(event)", metadata: ["load": "\(event.load)"]) }
      }
      var configuration = client.configuration
      configuration.transport = transport
      return Client(configuration)
    }

    _ = try await make(url).load(.text(.get("/items")))

    let lines = Logger.lines.withLock(\.self)
    #expect(lines.contains { $0.hasPrefix("#1 → GET https://api.example.org/items") })
    #expect(lines.contains { $0.hasPrefix("1: #1 +") })
  }

  @Test func `loads are counted with swift-metrics`() async throws {
    let transport = transport
    func make(_ url: URL?) -> Client {
      let client = Client(baseURL: url) {
        $0.observer = { event in
          switch event.kind {
          case .parsed:
            Metrics.Timer(label: "load").recordNanoseconds(Int64(event.elapsed / .nanoseconds(1)))
          case .failed(let error):
            let kind = (error as? LoadError)?.kind.rawValue ?? "cancelled"
            Counter(label: "load_failures", dimensions: [("kind", kind)]).increment()
          case .retrying: Counter(label: "load_retries").increment()
          default: break
          }
        }
      }
      var configuration = client.configuration
      configuration.transport = transport
      return Client(configuration)
    }
    let client = make(url)

    _ = try await client.load(.text(.get("/items")))
    _ = await #expect(throws: LoadError.self) { try await client.load(.text(.get("/items"))) }

    #expect(Metrics.Timer.longest.withLock(\.self) > 0)
    #expect(Counter.counted.withLock(\.self) == ["load_failures status"])
  }

  @Test func `a server answers for its services, and handlers run on its loop`() async throws {
    let loop = DispatchQueue(label: "loop")
    let ran = Atomic(false)
    let executor = EventLoopExecutor { job in
      loop.async {
        ran.store(true, ordering: .relaxed)
        job()
      }
    }

    let count = try await Promise.fulfilled("abc").map(on: executor) { $0.count }.get()

    #expect(count == 3 && ran.load(ordering: .relaxed))
    #expect(status(for: LoadError(.timedOut, "")) == .gatewayTimeout)
    #expect(status(for: LoadError(.closed, "")) == .serviceUnavailable)
    #expect(status(for: LoadError(.status, "")) == .badGateway)
    #expect(status(for: CancellationError()) == .internalServerError)
  }
}
