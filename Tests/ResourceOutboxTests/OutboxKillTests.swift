import Foundation
import PromiseModule
import ResourceLoading
import ResourceOutbox
import ResourceStore
import ResourceTesting
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

/// A process that is killed while it adds and sends.
@Suite(.inTurn)
struct OutboxKillTests {
  /// How many writes were committed for a key.
  struct Counter: StoredModel, Identifiable {
    var id: String
    var count: Int
  }

  /// What a write sends.
  struct Step: Codable {
    var key: String
    var number: Int
    var padding = ""
  }

  /// How often a process is killed: 12 times in each case, or `OUTBOX_KILLS` times.
  static let count =
    ProcessInfo.processInfo.environment["OUTBOX_KILLS"].flatMap { Int($0) } ?? 12

  /// The processes that use one file.
  enum Company: UInt64, CaseIterable {
    /// One is killed after another.
    case none
    /// One other process survives and sends.
    case survivor
    /// There are two at a time, and both are killed.
    case another
  }

  @Test(.timeLimit(.minutes(120)), arguments: Company.allCases)
  func `after kills nothing is lost or done twice, and each key is in order`(
    company: Company
  ) async throws {
    let database = try Database()
    let service = try TroubledService(seed: company.rawValue)
    let port = service.server.port
    let store = try await database.open()
    let survivor = company == .survivor ? try await Self.outbox(in: store, port: port) : nil

    if company == .another {
      async let first: Void = Self.killProcesses(
        times: Self.count / 2, on: database.file, port, seed: 1)
      async let second: Void = Self.killProcesses(
        times: Self.count / 2, on: database.file, port, seed: 2)
      _ = await (first, second)
    } else {
      await Self.killProcesses(times: Self.count, on: database.file, port, seed: 3)
    }
    try await survivor?.wait(until: \.isEmpty)
    await survivor?.close()
    // The next process sends the rest, and removes the files of the last one.
    let outbox = try await Self.outbox(in: store, port: port)
    try await outbox.wait(until: \.isEmpty)
    await outbox.close()

    let counters = try await store.select(Counter.self)
    let expected = counters.reduce(into: [:]) { $0[$1.id] = Array(1...$1.count) }
    #expect(service.effects == expected)
    #expect(counters.count == 5)
    let folder = database.file.path(percentEncoded: false) + "-outbox"
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
    await store.close()
    service.server.stop()
  }

  /// Begins a process and kills it, one after another.
  private static func killProcesses(
    times: Int, on file: URL, _ port: Int, seed: UInt64
  ) async {
    var generator = SeededGenerator(seed: seed)
    for round in 0..<times {
      let path = file.path
      let delay = UInt32.random(in: 0..<60_000, using: &generator)
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [path = path as String, port = port as Int, round = round as Int, delay = delay as UInt32]
        in
        Watchdog.endsProcess()
        try await Self.write(to: path, port, round, killedAfter: delay)
      }
    }
  }

  private static func outbox(in store: SQLiteStore, port: Int) async throws -> Outbox {
    var settings = OutboxSettings()
    settings.serverHonoursIdempotencyKeys = true
    settings.retry.backoff = Backoff(base: .milliseconds(2), maximum: .milliseconds(20))
    settings.budget = nil
    settings.checkInterval = .milliseconds(20)
    let client = Client(baseURL: URL(string: "http://127.0.0.1:\(port)")!) {
      // On Linux a URLSession doesn't notice that the server resets a kept connection under a POST.
      $0.options.idleTimeout = .seconds(2)
    }
    return try await Outbox(store: store, client: client, settings: settings)
  }

  /// Adds some writes, and sends until this process is killed, microseconds after the first was
  /// added.
  private static func write(
    to path: String, _ port: Int, _ round: Int, killedAfter delay: UInt32
  ) async throws {
    let store = try await SQLiteStore(file: URL(filePath: path))
    let outbox = try await Self.outbox(in: store, port: port)
    Thread.detachNewThread {
      usleep(delay)
      kill(getpid(), SIGKILL)
    }
    for index in 0..<6 {
      let key = "key \((round + index) % 5)"
      try await store.transaction { transaction in
        let count = try transaction.first(where: Counter.id == key)?.count ?? 0
        try transaction.upsert(Counter(id: key, count: count + 1))
        let padding = String(repeating: "x", count: index == 3 ? 100_000 : 10)
        let step = Step(key: key, number: count + 1, padding: padding)
        try outbox.add(
          .post("/steps").json(step), as: OutboxKey(rawValue: key), in: transaction)
      }
    }
    while true { try await Task.sleep(for: .seconds(1)) }
  }
}

/// A service that performs each write once by its `Idempotency-Key`, and answers with delays,
/// resets and errors, before and after that.
private final class TroubledService: Sendable {
  let server: LoopbackServer
  private let state: State

  var effects: [String: [Int]] { state.effects.withLock(\.applied) }

  init(seed: UInt64) throws {
    let state = State(seed: seed)
    self.state = state
    server = try LoopbackServer {
      LoopbackRoute("POST /steps") { try state.answer($0) }
    }
  }

  private final class State: Sendable {
    struct Effects {
      var applied: [String: [Int]] = [:]
      var known: Set<String> = []
      var generator: SeededGenerator
    }

    let effects: Mutex<Effects>

    init(seed: UInt64) { effects = Mutex(Effects(generator: SeededGenerator(seed: seed))) }

    func answer(_ request: ReceivedRequest) throws -> Script {
      let step = try JSONDecoder().decode(OutboxKillTests.Step.self, from: request.body)
      let id = request.header("Idempotency-Key") ?? ""
      return effects.withLock { effects -> Script in
        switch Int.random(in: 0..<16, using: &effects.generator) {
        case 0: return .reset
        case 1: return .status(500)
        case 2: return .status(429, headers: ["Retry-After": "0"])
        case 3: return [.delay(.milliseconds(10)), .status(503)]
        default: break
        }
        if effects.known.insert(id).inserted {
          effects.applied[step.key, default: []].append(step.number)
        }
        switch Int.random(in: 0..<8, using: &effects.generator) {
        case 0: return .reset
        case 1: return .status(502)
        case 2: return [.delay(.milliseconds(15)), .json("{}")]
        default: return .json("{}")
        }
      }
    }
  }
}
