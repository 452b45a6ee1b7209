import Foundation
import PromiseModule
import ResourceLoading
import ResourceStore
import ResourceTesting
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

  /// 12 in each way as a rule. More by `OUTBOX_KILLS`.
  static let count =
    ProcessInfo.processInfo.environment["OUTBOX_KILLS"].flatMap { Int($0) } ?? 12

  @Test(.timeLimit(.minutes(60)), arguments: [false, true])
  func `after kills nothing is lost, nothing done twice, and each key is in order`(
    withOtherProcess: Bool
  ) async throws {
    let database = try Database()
    let service = try TroubledService(seed: withOtherProcess ? 2 : 1)
    var generator = SeededGenerator(seed: withOtherProcess ? 4 : 3)
    let store = try await database.open()
    var other =
      withOtherProcess ? try await Self.outbox(in: store, port: service.server.port) : nil

    for round in 0..<Self.count {
      let (path, port) = (database.file.path, service.server.port)
      let delay = UInt32.random(in: 0..<60_000, using: &generator)
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [path = path as String, port = port as Int, round = round as Int, delay = delay as UInt32]
        in
        Watchdog.endsProcess()
        try await Self.write(to: path, port, round, killedAfter: delay)
      }
    }
    // What is left is sent by a process that lives.
    if other == nil { other = try await Self.outbox(in: store, port: service.server.port) }
    let outbox = try #require(other)
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

  private static func outbox(in store: SQLiteStore, port: Int) async throws -> Outbox {
    var settings = OutboxSettings()
    settings.serverHonoursIdempotencyKeys = true
    settings.retry.backoff = Backoff(base: .milliseconds(2), cap: .milliseconds(20))
    settings.budget = nil
    settings.checkInterval = .milliseconds(20)
    let client = Client(baseURL: URL(string: "http://127.0.0.1:\(port)")!)
    return try await Outbox(store: store, client: client, settings: settings)
  }

  /// Adds some writes, and sends until this process is killed, microseconds after the first was added.
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

/// A service that does each write once for its `Idempotency-Key`, and answers with delays, resets and errors, before
/// and after it has done it.
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
