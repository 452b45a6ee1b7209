import Foundation
import PromiseModule
import ResourceCache
import ResourceLoading
import ResourceOutbox
import ResourceStore

/// What a program does: loads over a cache on the disk, downloads, uploads in one request and so that
/// they can be resumed, talks over a socket, stores rows, and adds writes and an upload to an outbox.
actor Work {
  struct Row: StoredModel, Equatable {
    var id: Int
    var text: String
  }

  struct Item: Decodable {
    var number: Int
  }

  private let folder: URL
  private let server: URL
  private var stored: [Row] = []
  private var added: [String] = []
  private var downloaded: [URL] = []

  private let upload: URL
  /// The files that are uploaded so that they can be resumed: by a load, and by the outbox.
  private let large: [URL]
  /// Those of which that was acknowledged.
  private var uploaded: [URL] = []

  init(folder: URL, server: URL) throws {
    (self.folder, self.server) = (folder, server)
    upload = folder.appending(path: "upload")
    try Data(repeating: 7, count: 100_000).write(to: upload)
    large = [folder.appending(path: "large-0"), folder.appending(path: "large-1")]
    for (index, file) in large.enumerated() { try Self.content(index).write(to: file) }
  }

  /// The content of a large file, whose bytes differ from place to place.
  private static func content(_ index: Int) -> Data {
    Data((0..<400_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8 &+ index) })
  }

  func run() async {
    await attempt("load") { try await self.load() }
    await attempt("download") { try await self.download() }
    await attempt("upload") { try await self.sendFile() }
    await attempt("resumed upload") { try await self.resumeUpload() }
    await attempt("socket") { try await self.talk() }
    await attempt("store") { try await self.store() }
    await attempt("outbox") { try await self.send() }
  }

  /// Runs a part, whose failure has to be an error that says something.
  private func attempt(_ name: String, _ body: () async throws -> Void) async {
    do { try await body() } catch {
      let text = (error as? LoadError)?.reason ?? "\(error)"
      say("\(name): \(text)")
      if !(error is LoadError) { say("STRANGE: \(name): \(type(of: error)) \(error)") }
    }
  }

  private func client(_ middleware: [any Middleware] = []) -> Client {
    Client(baseURL: server) {
      $0.options.timeout = .seconds(5)
      $0.middleware = middleware
    }
  }
}

// MARK: - Loads

extension Work {
  private func load() async throws {
    let file = folder.appending(path: "cache.sqlite")
    let client = client([HTTPCache(.memory(), before: .sqlite(file))])
    var last: (any Error)?
    for number in 0..<6 {
      do {
        let item: Item = try await client.load(Resource(json: .get("/items/\(number % 3)")))
        if item.number != number % 3 { say("LOST: item \(number % 3) is \(item.number)") }
      } catch { last = error }
    }
    client.close()
    if let last { throw last }
  }

  private func download() async throws {
    let client = client()
    for isResuming in [false, true] {
      let file = folder.appending(path: "download-\(isResuming)")
      do {
        _ = try await client.load(.download(.get("/large"), to: file, resuming: isResuming))
        downloaded.append(file)
      } catch {
        if FileManager.default.fileExists(atPath: file.path) {
          say("LOST: a download that failed has left \(file.lastPathComponent)")
        }
        client.close()
        throw error
      }
    }
    client.close()
  }

  private func sendFile() async throws {
    let client = client()
    let request = Request.put("/uploads/1").body(.file(upload))
    do { _ = try await client.load(Resource(request) { $0 }) } catch {
      client.close()
      throw error
    }
    client.close()
  }
}

extension Work {
  private func resumeUpload() async throws {
    let client = client()
    defer { client.close() }
    _ = try await client.load(
      Resource(.upload(.post("/files"), file: large[0], resuming: .tus)) { $0 })
    uploaded.append(large[0])
  }

  /// What is said, which a JSON writer writes.
  private struct Words: Codable, Equatable {
    var number: Int
    var texts: [String]
  }

  /// Has a server send back what it is told.
  private func talk() async throws {
    let client = client()
    defer { client.close() }
    let socket = client.socket(.get("/socket")) {
      $0.compresses = true
      ($0.connectTimeout, $0.closeTimeout) = (.seconds(5), .seconds(2))
    }
    try await socket.withConnection { connection in
      for number in 0..<4 {
        let words = Words(number: number, texts: Array(repeating: "\(number) é \"", count: 300))
        try await connection.send(json: words)
        for try await message in connection.messages {
          guard case .text(let text) = message,
            try JSONDecoder().decode(Words.self, from: Data(text.utf8)) == words
          else {
            say("LOST: the socket brings back something else")
            break
          }
          break
        }
      }
    }
  }
}

// MARK: - What survives

extension Work {
  private var database: URL { folder.appending(path: "app.sqlite") }

  private func store() async throws {
    let store = try await SQLiteStore(file: database)
    var last: (any Error)?
    for id in 0..<10 {
      let row = Row(id: id, text: String(repeating: "\(id)", count: 500))
      do {
        try await store.insert(row)
        stored.append(row)
      } catch { last = error }
    }
    await store.close()
    if let last { throw last }
  }

  private func outbox() async throws -> (SQLiteStore, Client, Outbox) {
    let store = try await SQLiteStore(file: database)
    let client = client()
    var settings = OutboxSettings()
    settings.retry.backoff = Backoff(base: .milliseconds(2), maximum: .milliseconds(20))
    return (store, client, try await Outbox(store: store, client: client, settings: settings))
  }

  private func send() async throws {
    let (store, client, outbox) = try await outbox()
    var last: (any Error)?
    for number in 0..<4 {
      let path = "/writes/\(number)"
      do {
        let request = Request.put(RequestPath(path)).json(["number": number])
        try await outbox.add(request, as: OutboxKey(rawValue: path))
        added.append(path)
      } catch { last = error }
    }
    do {
      try await outbox.add(.upload(.post("/files"), file: large[1], resuming: .tus), as: "files")
      uploaded.append(large[1])
    } catch { last = error }
    try? await Task.sleep(for: .milliseconds(60))
    await outbox.close()
    await store.close()
    client.close()
    if let last { throw last }
  }

  /// What was acknowledged and isn't there.
  func losses() async -> [String] {
    var losses: [String] = []
    for file in downloaded {
      let bytes = try? Data(contentsOf: file)
      if bytes != Data(repeating: UInt8(ascii: "x"), count: 300_000) {
        losses.append("\(file.lastPathComponent) has \(bytes?.count ?? -1) bytes")
      }
    }
    do {
      let (store, client, outbox) = try await outbox()
      for row in stored {
        let found: Row? = try await store.first(where: Row.Columns.id == row.id)
        if found != row { losses.append("row \(row.id)") }
      }
      for _ in 0..<500 {
        if try await outbox.count() == 0 { break }
        try await Task.sleep(for: .milliseconds(10))
      }
      for entry in try await outbox.currentEntries() { losses.append("\(entry) isn't sent") }
      let arrived: [String] = try await client.load(Resource(json: .get("/writes")))
      for path in added where !arrived.contains(path) { losses.append("\(path) didn't arrive") }
      losses += try await lostUploads(client)
      await outbox.close()
      await store.close()
      client.close()
    } catch {
      losses.append("the database doesn't open again: \(error)")
    }
    return losses
  }
}

extension Work {
  /// The acknowledged uploads that aren't on the server, each once and whole.
  private func lostUploads(_ client: Client) async throws -> [String] {
    let numbers: [Int] = try await client.load(Resource(json: .get("/files")))
    var stored: [Data] = []
    for number in numbers {
      stored.append(try await client.load(.data(.get("/files/\(number)"))))
    }
    return uploaded.compactMap { file in
      let count = stored.count { $0 == Self.content(large.firstIndex(of: file) ?? 0) }
      return count == 1 ? nil : "\(file.lastPathComponent) is stored \(count) times"
    }
  }
}

extension Work.Row {
  enum Columns {
    static let id = Column(CodingKeys.id, \Work.Row.id)
  }
}
