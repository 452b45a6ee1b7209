import CSimulation
import Foundation
import ResourceLoading
import ResourceOutbox
import ResourceStore

/// A world whose process dies at a random call of the disk, several times, and begins again with
/// what it has left there.
class ProcessesWorld: World, @unchecked Sendable {
  /// A write that was added, and whether that was acknowledged before the process died.
  private struct Added {
    var value: Int
    var isAcknowledged = false
    /// Whether it is an upload that can be resumed.
    var isUpload = false
  }

  private(set) lazy var uploadServer = UploadServer(self)
  var server: Server { uploadServer }
  private var added: [String: [Added]] = [:]
  private var valueCount = 0
  /// The entries whose upload can be resumed.
  var uploads: Set<OutboxEntry.ID> = []
  var isClosed = false
  /// Whether a request may be sent twice.
  var isRepeatable = false
  private let folder = "/dev/shm/simulation-\(getpid())"

  final override func play() {
    try? FileManager.default.removeItem(atPath: folder)
    mkdir(folder, 0o700)
    sim_disk_reset(seed &* 77 &+ 5)
    sim_disk_mode(1)
    prepareServer()
    note("the network: \(server.weather); \(server)")
    let processes = UInt32(1 + pick(3))
    for process in 1...processes {
      let isLast = process == processes
      sim_process(process)
      if !isLast { sim_disk_fail_at(Nanoseconds(20 + pick(400))) }
      live(process, isLast: isLast)
      sim_process(0)
      if isLast { end() } else { die(process) }
    }
    for key in added.keys.sorted() { checkEffects(of: key) }
    finish()
    try? FileManager.default.removeItem(atPath: folder)
  }

  private func prepareServer() {
    server.weather = Weather(
      loss: pick(of: [0, 50, 200]), reset: pick(of: [0, 100]), stall: pick(of: [0, 100]),
      errors: pick(of: [0, 100]), latency: pick(of: [5, 50]) * millisecond)
    server.honoursIdempotencyKeys = chance(600)
    isRepeatable = server.honoursIdempotencyKeys || chance(500)
  }

  /// Begins what a process does.
  func live(_ process: UInt32, isLast: Bool) {}

  /// Looks at what the last process has left.
  func finish() {}
}

// MARK: - What a process has

extension ProcessesWorld {
  /// - Parameter interval: How often it looks for what other processes have written.
  func openStore(
    _ name: String = "db", lookingForOthersEvery interval: Duration? = nil
  ) async throws -> SQLiteStore {
    var settings = SQLiteSettings()
    settings.syncsEveryCommit = true
    settings.otherProcessesInterval = interval
    return try await SQLiteStore(
      file: URL(filePath: "\(folder)/\(name).sqlite"), settings: settings)
  }

  func openOutbox(
    over store: SQLiteStore, with client: Client, concurrency: Int
  ) async throws -> Outbox {
    var settings = OutboxSettings()
    settings.serverHonoursIdempotencyKeys = server.honoursIdempotencyKeys
    settings.checkInterval = .seconds(10)
    settings.maximumConcurrency = concurrency
    return try await Outbox(store: store, client: client, settings: settings)
  }

  /// Adds a write with a value of its own.
  ///
  /// - Parameters:
  ///   - size: The size of the file that it uploads; `nil` for none.
  ///   - body: Adds it to an outbox.
  func add<Receipt>(
    to key: String, uploading size: Int? = nil, _ body: (Request) async throws -> Receipt
  ) async throws -> Receipt {
    let value = valueCount
    valueCount += 1
    let index = added[key, default: []].count
    added[key, default: []].append(Added(value: value, isUpload: size ?? 0 > 0))
    let path = RequestPath("/\(key)")
    var request = (isRepeatable ? Request.put(path) : .post(path)).headers(["X-Value": "\(value)"])
    request.options.isIdempotent = isRepeatable ? true : nil
    let file = URL(filePath: folder + "/upload-\(value)")
    if let size {
      try UploadServer.content(of: value, size).write(to: file)
      request = .upload(request, file: file, resuming: uploadServer.resumption)
    }
    defer { if size != nil { unlink(file.path) } }
    do {
      let receipt = try await body(request)
      added[key]?[index].isAcknowledged = sim_disk_is_dead() == 0
      note("write \(value) to \(key) is added\(size.map { ", \($0) bytes" } ?? "")")
      return receipt
    } catch {
      note("write \(value) to \(key) isn't added: \(error)")
      throw error
    }
  }

  /// Waits until everything is sent over a good network.
  func drain(_ outbox: Outbox) async throws {
    server.weather = .fine
    for _ in 0..<200 {
      try await SimulatedClock().sleep(for: .seconds(2))
      guard let entries = try? await outbox.currentEntries() else { continue }
      for entry in entries where entry.state == .uncertain && !isRepeatable {
        // A process may end when it has begun an upload and recorded nothing of that yet.
        if uploadServer.storesOnce, uploads.contains(entry.id),
          entry.error?.reason.hasPrefix("the process ended") != true
        {
          violate(.isNotStuck, words(entry))
        }
        _ = try? await outbox.drop(entry.id)
      }
      if (try? await outbox.currentEntries())?.isEmpty == true { return }
    }
    for entry in try await outbox.currentEntries() {
      violate(.isNotStuck, words(entry))
      try await outbox.drop(entry.id)
    }
  }
}

extension ProcessesWorld {
  private func words(_ entry: OutboxEntry) -> String {
    "\(entry)\(entry.error.map { ": \($0.reason)" } ?? "")"
  }
}

// MARK: - The end of a process

extension ProcessesWorld {
  /// The process dies when its disk does, or after a while.
  private func die(_ process: UInt32) {
    run(until: sim_now() + Nanoseconds(2 + pick(6)) * second) { sim_disk_is_dead() != 0 }
    note("process \(process) dies")
    sim_kill(process)
    sim_disk_crash()
    for number in server.running.keys.sorted() {
      guard let exchange = server.running[number], !exchange.isOfLivingProcess else { continue }
      exchange.letGo()
      server.running[number] = nil
    }
    closeFiles()
    // What is on its way on other threads ends.
    run(until: sim_now() + 10 * millisecond) { sim_ready() == 0 }
  }

  /// Closes what a dead process had open, as the system does, except for the files of bodies, which
  /// hold no locks and are closed where they were opened.
  private func closeFiles() {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    for name in names {
      let target = try? FileManager.default.destinationOfSymbolicLink(
        atPath: "/proc/self/fd/" + name)
      if let target, target.hasPrefix(folder), !target.contains(".body"),
        let descriptor = Int32(name)
      {
        close(descriptor)
      }
    }
  }

  private func end() {
    run(until: .max) { [self] in isClosed }
    if !isClosed { violate(.comesToRest, "the outbox doesn't close") }
  }
}

// MARK: - What took effect

extension ProcessesWorld {
  private func checkEffects(of key: String) {
    let effects = server.effects["/" + key] ?? []
    for write in added[key] ?? [] {
      let count = effects.count { $0 == write.value }
      if write.isAcknowledged, count == 0, isRepeatable {
        violate(.acknowledgedIsKept, "write \(write.value) to \(key) was lost")
      }
      let isOnce =
        server.honoursIdempotencyKeys || !isRepeatable || write.isUpload && uploadServer.storesOnce
      if count > 1, isOnce {
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
