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
import UploadTestSupport

/// Uploads that survive the process.
@Suite(.inTurn, .serialized, .timeLimit(.minutes(60)))
struct OutboxUploadTests {
  private static func outbox(in store: SQLiteStore, at url: URL) async throws -> Outbox {
    var settings = OutboxSettings()
    settings.retry.backoff = Backoff(base: .milliseconds(2), maximum: .milliseconds(20))
    settings.budget = nil
    settings.checkInterval = .milliseconds(20)
    return try await Outbox(store: store, client: Client(baseURL: url), settings: settings)
  }

  private static func file(_ content: Data = UploadServer.content) throws -> URL {
    let file = FileManager.default.temporaryDirectory.appending(path: "upload-\(UUID().uuidString)")
    try content.write(to: file)
    return file
  }

  @Test(arguments: [UploadServer.Dialect.ietf, .tus, .session])
  func `an upload goes on in the next run where it ended`(
    _ dialect: UploadServer.Dialect
  ) async throws {
    let isDown = Mutex(false)
    let uploads = UploadServer(dialect) { reply, request, _, _ in
      guard request.method != "OPTIONS" else { return }
      if isDown.withLock(\.self) {
        reply.instead = .close
        return
      }
      guard request.header("Content-Length").flatMap({ Int($0) }) ?? 0 == 600_000 else { return }
      reply.cut = 200_000
      isDown.withLock { $0 = true }
    }
    let server = try uploads.start()
    defer { server.stop() }
    let database = try Database()
    let store = try await database.open()
    let file = try Self.file()
    let first = try await Self.outbox(in: store, at: server.url())
    let events = first.events
    let resuming: UploadResumption = dialect == .session ? .using(SessionUploads()) : .automatic
    let receipt = try await first.add(
      .upload(.post("/files"), file: file, resuming: resuming), as: "a")
    for await event in events {
      if case .waiting = event { break }
    }
    await first.close()
    isDown.withLock { $0 = false }

    let second = try await Self.outbox(in: store, at: server.url())
    if let id = receipt.id { _ = try await second.receipt(for: id)?.answer() }
    await second.close()

    #expect(uploads.objects == [UploadServer.content])
    let sent = server.requests.filter { $0.bodyLength > 0 }.map(\.bodyLength)
    #expect(sent == [200_000, 400_000] || sent.first == 600_000 && sent.last == 400_000)
    await store.close()
  }

  @Test func `an upload that the server has forgotten begins anew`() async throws {
    let uploads = UploadServer(.tus) { reply, request, number, server in
      guard request.method == "PATCH", number < 4 else { return }
      reply.cut = 200_000
    }
    let server = try uploads.start()
    defer { server.stop() }
    let database = try Database()
    let store = try await database.open()
    let outbox = try await Self.outbox(in: store, at: server.url())
    let events = outbox.events
    let file = try Self.file()

    let receipt = try await outbox.add(
      .upload(.put("/files"), file: file, resuming: .tus) { $0.maximumFailures = 0 }, as: "a")
    for await event in events {
      guard case .waiting = event else { continue }
      uploads.forget()
      break
    }
    let answer = try await receipt.answer()
    await outbox.close()

    #expect(answer.status == 204)
    #expect(uploads.objects == [UploadServer.content])
    #expect(server.requests.filter { $0.method == "POST" }.count == 2)
    await store.close()
  }

  @Test func `an upload about whose protocol nothing was learned isn't uncertain`() async throws {
    let questions = Mutex(0)
    let uploads = UploadServer(.tus) { reply, request, _, _ in
      guard request.method == "OPTIONS" else { return }
      let count = questions.withLock { count in
        count += 1
        return count
      }
      if count <= 2 { reply.instead = .close }
      if count == 3 { reply.status = 500 }
    }
    let server = try uploads.start()
    defer { server.stop() }
    let database = try Database()
    let store = try await database.open()
    let outbox = try await Self.outbox(in: store, at: server.url())
    let file = try Self.file()

    let receipt = try await outbox.add(
      .upload(.post("/files"), file: file) { $0.maximumFailures = 1 }, as: "a")
    let answer = try await receipt.answer()
    await outbox.close()

    #expect(answer.status.isSuccess)
    #expect(uploads.objects == [UploadServer.content])
    await store.close()
  }

  @Test(arguments: [409, 423, 460])
  func `an upload that the server has locked waits, and isn't parked`(_ status: Int) async throws {
    let uploads = UploadServer(.tus) { reply, request, number, _ in
      if request.method == "PATCH", number < 7 { reply.instead = .status(status) }
    }
    let server = try uploads.start()
    defer { server.stop() }
    let database = try Database()
    let store = try await database.open()
    let outbox = try await Self.outbox(in: store, at: server.url())
    let file = try Self.file()

    let receipt = try await outbox.add(
      .upload(.post("/files"), file: file, resuming: .tus) { $0.maximumFailures = 0 }, as: "a")
    let answer = try await receipt.answer()
    await outbox.close()

    #expect(answer.status == 204)
    #expect(uploads.objects == [UploadServer.content])
    await store.close()
  }

  /// How often a process is killed: 6 times for each protocol as a rule, more by `UPLOAD_KILLS`.
  private static let count =
    ProcessInfo.processInfo.environment["UPLOAD_KILLS"].flatMap { Int($0) } ?? 6

  @Test(arguments: [UploadServer.Dialect.ietf, .tus, .session])
  func `after kills each file is stored once, and nothing is sent again that was stored`(
    _ dialect: UploadServer.Dialect
  ) async throws {
    let uploads = UploadServer(dialect)
    let server = try uploads.start()
    defer { server.stop() }
    let database = try Database()
    let url = server.url()
    var generator = SeededGenerator(seed: 7)
    var files: [Data] = []

    for round in 0..<Self.count {
      // A file for each third process; the others go on.
      let path = database.file.path
      var source = ""
      if round % 3 == 0 {
        let content = Data(
          (0..<4_000_000).map { UInt8(truncatingIfNeeded: $0 &* (round + 3) >> 4) })
        files.append(content)
        source = try Self.file(content).path
      }
      let delay = UInt32.random(in: 0..<150_000, using: &generator)
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [
          path = path as String, url = url as URL, source = source as String,
          delay = delay as UInt32, name = dialect.rawValue as String, round = round as Int
        ]
        in
        Watchdog.endsProcess()
        let store = try await SQLiteStore(file: URL(filePath: path))
        let outbox = try await Self.outbox(in: store, at: url)
        if !source.isEmpty {
          try await outbox.add(
            .upload(
              .post("/files"), file: URL(filePath: source),
              resuming: name == "session" ? .using(SessionUploads()) : .automatic),
            as: "file \(round)")
        }
        Thread.detachNewThread {
          usleep(delay)
          kill(getpid(), SIGKILL)
        }
        while true { try await Task.sleep(for: .seconds(1)) }
      }
    }
    let store = try await database.open()
    let outbox = try await Self.outbox(in: store, at: url)
    try await outbox.wait(until: \.isEmpty)
    await outbox.close()
    await store.close()

    #expect(Set(uploads.objects) == Set(files))
    #expect(uploads.objects.count == files.count)
    let offsets = server.requests.filter { $0.method == "PATCH" || $0.method == "PUT" }
    #expect(!offsets.isEmpty)
  }
}
