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
  private static func outbox(
    in store: SQLiteStore, at url: URL, _ strategies: [any UploadStrategy] = []
  ) async throws -> Outbox {
    var settings = OutboxSettings()
    settings.uploadStrategies = strategies
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
      guard request.announcedLength == 600_000 else { return }
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

  /// A way in which a server says that it has forgotten an upload.
  struct Expiry: Sendable {
    var dialect: UploadServer.Dialect
    var status: Int
    /// A request that isn't the last one is interrupted, or one that still has bytes in this
    /// process, so that the server can't have everything.
    var size = 600_000
    var limit = 256 << 10

    static let all = [404, 410].flatMap { status in
      [
        Expiry(dialect: .ietf, status: status), Expiry(dialect: .session, status: status),
        Expiry(dialect: .tus, status: status, size: 12 << 20, limit: .max),
      ]
    }
  }

  @Test(arguments: Expiry.all)
  func `an upload that has expired at the server begins anew on its own`(
    _ expiry: Expiry
  ) async throws {
    let isCut = Mutex(false)
    let uploads = UploadServer(
      expiry.dialect, limits: "max-append-size=\(expiry.limit)", pieceSize: 1 << 20
    ) { reply, request, _, server in
      let isFirst = isCut.withLock { isCut in
        guard !isCut, request.announcedLength > 0 else { return false }
        isCut = true
        return true
      }
      if isFirst {
        reply.cut = 200_000
      } else if isCut.withLock(\.self), Self.isQuestion(request) {
        server.forget()
        reply.status = expiry.status
      }
    }
    let server = try uploads.start()
    defer { server.stop() }
    let database = try Database()
    let store = try await database.open()
    let outbox = try await Self.outbox(
      in: store, at: server.url(), [SessionUploads(maximumRequestSize: expiry.limit)])
    let content = Data((0..<1000).map { UInt8($0 & 0xFF) }) + Data(count: expiry.size - 1000)
    let file = try Self.file(content)
    let resuming: UploadResumption =
      switch expiry.dialect {
      case .session: .using(SessionUploads())
      case .tus: .tus
      default: .automatic
      }

    let receipt = try await outbox.add(
      .upload(.post("/files"), file: file, resuming: resuming) { $0.maximumFailures = 0 }, as: "a")
    let answer = try await receipt.answer()
    await outbox.close()

    #expect(answer.status.isSuccess)
    #expect(uploads.objects == [content])
    #expect(server.requests.filter { $0.method == "POST" }.count == 2)
    await store.close()
  }

  private static func isQuestion(_ request: ReceivedRequest) -> Bool {
    request.method == "HEAD" || request.header("Content-Range")?.hasPrefix("bytes */") == true
  }

  @Test(arguments: [UploadOptions.Change.fails, .beginsAnew])
  func `a file that changed unnoticed is noticed by its digest before the upload goes on`(
    _ change: UploadOptions.Change
  ) async throws {
    let file = try Self.file()
    try Self.setDate(of: file)
    // Until the file is changed, nothing arrives but its beginning.
    let isChanged = Mutex(false)
    let attempts = Mutex(0)
    let uploads = UploadServer(.ietf, limits: "max-append-size=262144") { reply, request, _, _ in
      guard request.announcedLength > 0, !isChanged.withLock(\.self) else { return }
      reply.cut = attempts.withLock { count in
        defer { count += 1 }
        return count == 0 ? 200_000 : 0
      }
    }
    let server = try uploads.start()
    defer { server.stop() }
    let database = try Database()
    let store = try await database.open()
    let outbox = try await Self.outbox(in: store, at: server.url())

    let events = outbox.events
    let receipt = try await outbox.add(
      .upload(.post("/files"), file: file) {
        ($0.checksContent, $0.maximumFailures, $0.change) = (true, 0, change)
      }, as: "a"
    ) { $0.files = .referenced }
    for await event in events {
      guard case .waiting = event else { continue }
      break
    }
    try await outbox.pause()
    try await outbox.wait { $0.first?.state == .waiting }
    // The file keeps its size, date and identity, and nothing reads it now.
    let handle = try FileHandle(forUpdating: file)
    try handle.write(contentsOf: Data([99]))
    try handle.close()
    try Self.setDate(of: file)
    isChanged.withLock { $0 = true }
    try await outbox.resume()
    var failure: LoadError?
    do { _ = try await receipt.answer() } catch { failure = error as? LoadError }
    await outbox.close()

    let overwritten = try Data(contentsOf: file)
    #expect(overwritten != UploadServer.content)
    #expect(uploads.objects == (change == .fails ? [] : [overwritten]))
    #expect(failure?.kind == (change == .fails ? .invalidRequest : nil))
    #expect(server.requests.filter { $0.method == "DELETE" }.count == (change == .fails ? 0 : 1))
    await store.close()
  }

  @Test(arguments: [false, true])
  func `a referenced file that gets another size is uploaded as it is then`(
    _ isWaiting: Bool
  ) async throws {
    let file = try Self.file()
    let changed = Data(repeating: 1, count: 700_000)
    let isChanged = Mutex(false)
    let uploads = UploadServer(.tus) { reply, request, _, _ in
      guard request.method == (isWaiting ? "OPTIONS" : "PATCH") else { return }
      isChanged.withLock { isChanged in
        guard !isChanged else { return }
        if isWaiting { reply.instead = .close } else { reply.cut = 100_000 }
        isChanged = (try? changed.write(to: file, options: .atomic)) != nil
      }
    }
    let server = try uploads.start()
    defer { server.stop() }
    let database = try Database()
    let store = try await database.open()
    let outbox = try await Self.outbox(in: store, at: server.url())

    let receipt = try await outbox.add(
      .upload(.post("/files"), file: file) {
        ($0.maximumFailures, $0.change) = (isWaiting ? 0 : 1, .beginsAnew)
      }, as: "a"
    ) { $0.files = .referenced }
    let answer = try await receipt.answer()
    await outbox.close()

    #expect(answer.status.isSuccess)
    #expect(uploads.objects == [changed])
    await store.close()
  }

  private static let date = Date(timeIntervalSince1970: 1_800_000_000)

  private static func setDate(of file: URL) throws {
    try FileManager.default.setAttributes(
      [.modificationDate: date], ofItemAtPath: file.path(percentEncoded: false))
  }

  @Test
  func `a kill with the last byte, and the end of the upload at the server, store nothing twice`()
    async throws
  {
    let content = Data(repeating: 7, count: 8 << 20)
    // SQLite is busy from before the last bytes leave the process until the server has all others.
    let (beginning, locked, unlocked) = (Gate(), Gate(), Gate())
    let uploads = UploadServer(.tus) { reply, request, _, server in
      guard request.method == "PATCH" else { return }
      reply.gate = beginning
      let process = request.header("X-Process").flatMap { pid_t($0) }
      reply.onProgress = { [weak server] _, isComplete in
        // The whole upload counts: the request may be one that resumes it.
        let isNearEnd = server.map { $0.storedSize >= content.count - 1 << 16 } ?? true
        if isComplete || isNearEnd { unlocked.open() }
        if isComplete, let process { kill(process, SIGKILL) }
      }
    }
    let server = try uploads.start()
    defer { server.stop() }
    let database = try Database()
    let store = try await database.open()
    let (path, url) = (database.file.path, server.url())
    let file = try Self.file(content)
    let source = file.path
    let lock = Task {
      try await beginning.waitForArrivals(count: 1)
      try await store.transaction { _ in
        locked.open()
        unlocked.blockUntilOpen()
      }
    }
    let reading = Task {
      try await locked.opened()
      beginning.open()
    }

    await #expect(processExitsWith: .signal(SIGKILL)) {
      [path = path as String, url = url as URL, source = source as String] in
      Watchdog.endsProcess()
      let store = try await SQLiteStore(file: URL(filePath: path))
      let outbox = try await Self.outbox(in: store, at: url)
      var request = Request.upload(.post("/files"), file: URL(filePath: source), resuming: .tus)
      request.headers["X-Process"] = "\(getpid())"
      try await outbox.add(request, as: "a") { $0.files = .referenced }
      while true { try await Task.sleep(for: .seconds(1)) }
    }
    // If the process ended in another way, nobody else opens them.
    for gate in [beginning, locked, unlocked] { gate.open() }
    try await lock.value
    try await reading.value
    uploads.forget()
    let outbox = try await Self.outbox(in: store, at: url)
    try await outbox.wait { $0.allSatisfy { $0.state == .uncertain } }
    let states = try await outbox.currentEntries().map(\.state)
    await outbox.close()
    await store.close()

    #expect(uploads.objects.count == 1)
    #expect(states == [.uncertain])
    try FileManager.default.removeItem(at: file)
  }

  /// Adds an upload to an outbox, of which the server stores a part, and waits until the attempt
  /// has failed.
  private static func interruptedUpload(
    _ dialect: UploadServer.Dialect, in outbox: Outbox
  ) async throws -> OutboxEntry.ID {
    let events = outbox.events
    let resuming: UploadResumption = dialect == .session ? .using(SessionUploads()) : .automatic
    let receipt = try await outbox.add(
      .upload(.post("/files"), file: try file(), resuming: resuming) { $0.maximumFailures = 0 },
      as: "a")
    for await event in events {
      guard case .waiting = event else { continue }
      break
    }
    try await outbox.pause()
    try await outbox.wait { $0.first?.state == .waiting }
    return try #require(receipt.id)
  }

  /// What becomes of an upload that is dropped.
  struct Drop: Sendable {
    var dialect: UploadServer.Dialect
    var isComplete = false

    static let all = [
      Drop(dialect: .ietf), Drop(dialect: .tus), Drop(dialect: .session),
      Drop(dialect: .tus, isComplete: true),
    ]
  }

  @Test(arguments: Drop.all)
  func `dropping an upload cancels it at the server unless it is complete`(
    _ drop: Drop
  ) async throws {
    let answered = Gate()
    let uploads = UploadServer(drop.dialect) { reply, request, _, _ in
      switch request.method {
      case "DELETE": reply.gate = answered
      case "PATCH", "PUT":
        if drop.isComplete {
          reply.losesAnswer = true
        } else if request.announcedLength > 0 {
          reply.cut = 200_000
        }
      default: break
      }
    }
    let server = try uploads.start()
    defer { server.stop() }
    let database = try Database()
    let store = try await database.open()
    let outbox = try await Self.outbox(in: store, at: server.url())
    let id = try await Self.interruptedUpload(drop.dialect, in: outbox)

    let wasDropped = try await outbox.drop(id)
    // Dropping doesn't wait for the server.
    let count = try await outbox.count()
    answered.open()
    await outbox.close()

    #expect(wasDropped)
    #expect(count == 0)
    let cancelled = server.requests.filter { $0.method == "DELETE" }.map(\.path)
    #expect(cancelled.count == (drop.isComplete ? 0 : 1))
    #expect(cancelled.allSatisfy { $0.hasPrefix("/uploads/") })
    #expect(uploads.storedSize == 0)
    #expect(uploads.objects == (drop.isComplete ? [UploadServer.content] : []))
    await store.close()
  }

  @Test func `correcting an upload cancels it, and uploads the other file`() async throws {
    let isCut = Mutex(true)
    let uploads = UploadServer(.tus) { reply, request, _, _ in
      if request.method == "PATCH", isCut.withLock(\.self) { reply.cut = 200_000 }
    }
    let server = try uploads.start()
    defer { server.stop() }
    let database = try Database()
    let store = try await database.open()
    let outbox = try await Self.outbox(in: store, at: server.url())
    let id = try await Self.interruptedUpload(.tus, in: outbox)
    isCut.withLock { $0 = false }
    let other = Data(repeating: 1, count: 1000)

    let receipt = try await outbox.correct(
      id, with: .upload(.post("/files"), file: try Self.file(other), resuming: .tus))
    try await outbox.resume()
    _ = try await receipt?.answer()
    await outbox.close()

    #expect(uploads.objects == [other])
    #expect(server.requests.filter { $0.method == "DELETE" }.count == 1)
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

  @Test func `the progress of an upload counts what the server has, and ends with the entry`()
    async throws
  {
    let mayGoOn = Gate()
    let uploads = UploadServer(.tus) { reply, request, _, _ in
      if request.announcedLength == 600_000 { reply.cut = 200_000 }
      if request.method == "HEAD" { reply.gate = mayGoOn }
    }
    let server = try uploads.start()
    defer { server.stop() }
    let database = try Database()
    let store = try await database.open()
    let outbox = try await Self.outbox(in: store, at: server.url())
    let receipt = try await outbox.add(
      .upload(.post("/files"), file: try Self.file(), resuming: .tus), as: "a")
    let id = try #require(receipt.id)
    try await mayGoOn.waitForArrivals(count: 1)

    let progress = try await outbox.progress(of: id)
    mayGoOn.open()
    var steps: [TransferProgress] = []
    for await step in progress { steps.append(step) }
    let ended = try await outbox.progress(of: id)
    var rest = 0
    for await _ in ended { rest += 1 }
    await outbox.close()

    #expect(steps.allSatisfy { $0.completed > 200_000 && $0.total == 600_000 })
    #expect(steps.last?.completed == 600_000)
    #expect(rest == 0)
    await store.close()
  }

  @Test func `a kill before anything is sent leaves an upload that is sent`() async throws {
    let uploads = UploadServer(.tus) { reply, request, _, _ in
      guard let process = request.header("X-Process").flatMap({ pid_t($0) }) else { return }
      // The one that goes on has another number.
      if process != getpid(), kill(process, SIGKILL) == 0 { reply.instead = .close }
    }
    let server = try uploads.start()
    defer { server.stop() }
    let database = try Database()
    let (path, url, source) = (database.file.path, server.url(), try Self.file().path)

    await #expect(processExitsWith: .signal(SIGKILL)) {
      [path = path as String, url = url as URL, source = source as String] in
      Watchdog.endsProcess()
      let store = try await SQLiteStore(file: URL(filePath: path))
      let outbox = try await Self.outbox(in: store, at: url)
      var request = Request.upload(.post("/files"), file: URL(filePath: source))
      request.headers["X-Process"] = "\(getpid())"
      try await outbox.add(request, as: "a")
      while true { try await Task.sleep(for: .seconds(1)) }
    }
    let store = try await database.open()
    let outbox = try await Self.outbox(in: store, at: url)
    try await outbox.wait { $0.allSatisfy { ![.waiting, .sending].contains($0.state) } }
    let unsent = try await outbox.currentEntries()
    await outbox.close()
    await store.close()

    #expect(unsent.isEmpty)
    #expect(uploads.objects == [UploadServer.content])
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
  private static let wantedCount =
    ProcessInfo.processInfo.environment["UPLOAD_KILLS"].flatMap { Int($0) }
  private static let count = wantedCount ?? 6

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
          (0..<4_000_000).map { UInt8(truncatingIfNeeded: ($0 &* (round + 3)) >> 4) })
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
    try await outbox.wait { $0.allSatisfy { ![.waiting, .sending].contains($0.state) } }
    let unsent = try await outbox.currentEntries()
    await outbox.close()
    await store.close()

    #expect(unsent.isEmpty)
    #expect(Set(files).count == files.count)
    #expect(Set(uploads.objects) == Set(files))
    #expect(uploads.objects.count == files.count)
    // Each request has begun where the server ended, so nothing that it had was sent again.
    #expect(uploads.conflictCount == 0)
    if Self.wantedCount != nil {
      let received = server.requests.reduce(0) { $0 + $1.bodyLength }
      let sizes = files.reduce(0) { $0 + $1.count }
      print(
        "\(dialect): \(Self.count) kills, \(uploads.objects.count) of \(files.count) files,",
        "\(received) bytes received of \(sizes)")
    }
  }
}
