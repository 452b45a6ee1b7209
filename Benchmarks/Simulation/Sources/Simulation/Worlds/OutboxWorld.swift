import CSimulation
import Foundation
import PromiseModule
import ResourceLoading
import ResourceOutbox
import ResourceStore

/// An outbox whose process dies at a random call of the disk, several times, and begins again.
final class OutboxWorld: World, @unchecked Sendable {
  /// A write that was added, and whether that was acknowledged before the process died.
  private struct Added {
    var value: Int
    var isAcknowledged = false
  }

  private lazy var server = Server(self)
  private let keys = ["a", "b", "c"]
  private var added: [String: [Added]] = [:]
  private var valueCount = 0
  private var isClosed = false
  /// Whether a request may be sent twice.
  private var isRepeatable = false
  private let folder = "/dev/shm/simulation-\(getpid())"

  override func play() {
    try? FileManager.default.removeItem(atPath: folder)
    mkdir(folder, 0o700)
    sim_disk_reset(seed &* 77 &+ 5)
    sim_disk_mode(1)
    prepareServer()
    let processes = UInt32(1 + pick(3))
    for process in 1...processes {
      live(process, isLast: process == processes)
      if process < processes { die(process) } else { end() }
    }
    for key in keys { checkEffects(of: key) }
    try? FileManager.default.removeItem(atPath: folder)
  }

  private func prepareServer() {
    server.weather = Weather(
      loss: pick(of: [0, 50, 200]), reset: pick(of: [0, 100]), stall: pick(of: [0, 100]),
      errors: pick(of: [0, 100]), latency: pick(of: [5, 50]) * millisecond)
    server.honoursIdempotencyKeys = chance(600)
    isRepeatable = server.honoursIdempotencyKeys || chance(500)
  }
}

// MARK: - Processes

extension OutboxWorld {
  private func live(_ process: UInt32, isLast: Bool) {
    sim_process(process)
    if !isLast { sim_disk_fail_at(Nanoseconds(20 + pick(400))) }
    let writes = isLast ? 3 : 4 + pick(8)
    let (concurrency, honours) = (1 + pick(4), server.honoursIdempotencyKeys)
    let senders = chance(300) ? 2 : 1
    Task { [self] in
      do {
        let store = try await open()
        let outbox = try await open(over: store, concurrency, honours)
        note("process \(process) has opened its outbox")
        // A call of the disk that fails once is no reason to lose anything.
        if isLast, chance(200) { sim_disk_error_at(Int64(pick(200))) }
        // Another sender over the same file, as an app and its extension have.
        let second = senders > 1 ? try await open() : nil
        var outboxes = [outbox]
        if let second { outboxes.append(try await open(over: second, concurrency, honours)) }
        await withTaskGroup(of: Void.self) { group in
          for _ in 0..<writes {
            let (key, pause, outbox) = (pick(of: keys), pick(800), pick(of: outboxes))
            group.addTask { [self] in await add(to: key, after: pause, in: outbox) }
          }
        }
        guard isLast else { return }
        try await drain(outbox)
        for outbox in outboxes { await outbox.close() }
        await second?.close()
        await store.close()
        isClosed = true
      } catch {
        note("process \(process): \(error)")
        if isLast { violate(.opensAgain, "\(error)") }
      }
    }
    sim_process(0)
  }

  private func open() async throws -> SQLiteStore {
    var settings = SQLiteSettings()
    settings.syncsEveryCommit = true
    settings.otherProcessesInterval = nil
    return try await SQLiteStore(
      file: URL(filePath: folder + "/db.sqlite"), settings: settings)
  }

  private func open(
    over store: SQLiteStore, _ concurrency: Int, _ honours: Bool
  ) async throws -> Outbox {
    let client = Client(baseURL: URL(string: "https://host.example")) {
      $0.transport = SimulatedTransport(server)
      $0.clock = SimulatedClock()
      $0.options.timeout = .seconds(5)
    }
    var settings = OutboxSettings()
    settings.serverHonoursIdempotencyKeys = honours
    settings.checkInterval = .seconds(10)
    settings.maximumConcurrency = concurrency
    return try await Outbox(store: store, client: client, settings: settings)
  }

  private func add(to key: String, after pause: Int, in outbox: Outbox) async {
    try? await SimulatedClock().sleep(for: .milliseconds(pause))
    let value = valueCount
    valueCount += 1
    let index = added[key, default: []].count
    added[key, default: []].append(Added(value: value))
    let path = RequestPath("/\(key)")
    var request = (isRepeatable ? Request.put(path) : .post(path)).headers(["X-Value": "\(value)"])
    request.options.isIdempotent = isRepeatable ? true : nil
    do {
      _ = try await outbox.add(request, as: OutboxKey(rawValue: key))
      added[key]?[index].isAcknowledged = sim_disk_is_dead() == 0
      note("write \(value) to \(key) is added")
    } catch {
      note("write \(value) to \(key) isn't added: \(error)")
    }
  }

  /// Waits until everything is sent over a good network.
  private func drain(_ outbox: Outbox) async throws {
    server.weather = .fine
    for _ in 0..<200 {
      try await SimulatedClock().sleep(for: .seconds(2))
      guard let entries = try? await outbox.currentEntries() else { continue }
      for entry in entries where entry.state == .uncertain && !isRepeatable {
        _ = try? await outbox.drop(entry.id)
      }
      if (try? await outbox.currentEntries())?.isEmpty == true { return }
    }
    for entry in try await outbox.currentEntries() {
      violate(.isNotStuck, "\(entry)")
      try await outbox.drop(entry.id)
    }
  }

  /// The process dies when its disk does, or after a while.
  private func die(_ process: UInt32) {
    run(until: sim_now() + Nanoseconds(2 + pick(6)) * second) { sim_disk_is_dead() != 0 }
    note("process \(process) dies")
    sim_kill(process)
    sim_disk_crash()
    closeFiles()
    for (number, exchange) in server.running where !exchange.isOfLivingProcess {
      server.running[number] = nil
    }
    // What is on its way on other threads ends.
    run(until: sim_now() + 10 * millisecond) { sim_ready() == 0 }
  }

  /// Closes what a dead process had open, as the system does.
  private func closeFiles() {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    for name in names {
      let target = try? FileManager.default.destinationOfSymbolicLink(
        atPath: "/proc/self/fd/" + name)
      if target?.hasPrefix(folder) == true, let descriptor = Int32(name) { close(descriptor) }
    }
  }

  private func end() {
    run(until: .max) { [self] in isClosed }
    if !isClosed { violate(.comesToRest, "the outbox doesn't close") }
  }
}

// MARK: - What took effect

extension OutboxWorld {
  private func checkEffects(of key: String) {
    let effects = server.effects["/" + key] ?? []
    for write in added[key] ?? [] {
      let count = effects.count { $0 == write.value }
      if write.isAcknowledged, count == 0, isRepeatable {
        violate(.acknowledgedIsKept, "write \(write.value) to \(key) was lost")
      }
      if count > 1, server.honoursIdempotencyKeys || !isRepeatable {
        violate(.takesEffectOnce, "write \(write.value) to \(key) took effect \(count) times")
      }
    }
    // Adds of a key overlap here, so that only a repetition after another write is out of order.
    var last: [Int: Int] = [:]
    for (index, value) in effects.enumerated() {
      if let before = last[value], effects[(before + 1)..<index].contains(where: { $0 != value }) {
        violate(.keepsOrder, "the writes to \(key) took effect in the order \(effects)")
      }
      last[value] = index
    }
  }
}
