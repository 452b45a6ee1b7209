import Foundation
import PromiseModule
import ResourceCache
import ResourceLoading
import ResourceOutbox
import ResourceState
import ResourceStore
import ResourceTesting
import TestSupport

// The modules above loading, each with its own files and its own reports.

extension Stage {
  /// Loads through a cache in a file, twice, and returns the file with those beside it. The body
  /// says nothing: a body is stored as it is.
  func cache() async throws -> [Output] {
    let answer = Ending(name: "stored") { request, _ in
      let varying = request.headers.map(\.name.rawValue).joined(separator: ", ")
      return .response(
        headers: [
          .contentType: "application/json", .cacheControl: "public, max-age=600", .vary: varying,
          .setCookie: "sid=\(self.secret.text.filter(\.isLetter))",
        ], body: Data(#"{"number": 1}"#.utf8))
    }
    var (client, request) = try setup(answer)
    var configuration = client.configuration
    let storage = SQLiteResponseStorage.sqlite(folder.file("cache.sqlite"))
    let cache = HTTPCache(.memory(), before: storage, owner: nil)
    configuration.middleware.insert(cache, at: 0)
    client = Client(configuration)
    if plant.isInBody {
      request.method = .get
      request.body = nil
    }
    for policy in [Request.CachePolicy.standard, .cacheFirst, .cacheOnly] {
      do {
        _ = try await client.load(Resource<Item>(json: request.cachePolicy(policy)))
      } catch { note(Output.printed("the error of the cache", error)) }
    }
    note(Output.printed("the cache", cache) + Output.printed("the storage", storage))
    client.close()
    note(try Output.files(in: folder.url))
    await storage.close()
    note(try Output.files(in: folder.url))
    return taken
  }
}

extension Stage {
  /// Adds the request to an outbox, lets it fail in a way, and opens the database again.
  func outbox(_ ending: Ending) async throws -> [Output] {
    var (client, request) = try setup(ending)
    // What only reads isn't for an outbox.
    if request.method == .get { request.method = .post }
    let file = folder.file("app.sqlite")
    try await addToOutbox(request, client, file)
    let store = try await SQLiteStore(file: file)
    let outbox = try await Outbox(store: store, client: client, settings: settings)
    try await outbox.pause()
    let entries = try await outbox.currentEntries()
    note(Output.printed("the stored entries", entries))
    for entry in entries {
      note(Output.printed("a stored entry", entry))
      if let error = entry.error { note(Output.printed("the stored error", error)) }
    }
    await outbox.close()
    await store.close()
    client.close()
    // A body is kept as it is: without it the write can't be sent.
    let files = try Output.files(in: folder.url)
    note(isKeptByOutbox ? [] : files)
    return taken
  }

  private var isKeptByOutbox: Bool {
    plant.isInBody || Plant.keptByOutbox.contains(plant.name)
  }

  private var settings: OutboxSettings {
    var settings = OutboxSettings()
    settings.retry = RetryPolicy(maximumAttempts: 1)
    settings.serverHonoursIdempotencyKeys = true
    return settings
  }

  private func addToOutbox(_ request: Request, _ client: Client, _ file: URL) async throws {
    let store = try await SQLiteStore(file: file)
    let outbox = try await Outbox(store: store, client: client, settings: settings)
    let events = outbox.events
    var isAdded = false
    do {
      try await outbox.add(request, as: "item") { note(Output.printed("the write", $0)) }
      isAdded = true
      // The first event that isn't that of sending comes when the attempt has ended.
      for await event in events {
        note(Output.printed("an event of the outbox", event))
        if case .sending(let entry) = event {
          note(Output.printed("an entry", entry))
        } else {
          break
        }
      }
    } catch { note(Output.printed("the error of adding", error)) }
    note("whether the outbox took it", "\(isAdded)")
    await outbox.close()
    if !isKeptByOutbox { note(try Output.files(in: folder.url)) }
    await store.close()
  }
}

extension Stage {
  private struct Row: Decodable, Sendable, Identifiable {
    var id: Int
  }

  /// Loads as a live resource, whose error and state a user interface shows.
  @MainActor
  func live(_ ending: Ending) async throws -> [Output] {
    let (client, request) = try setup(ending)
    let resources = LiveResources(client)
    let live = resources.resource(Resource<Item>(json: request))
    await live.reload()
    note(Output.printed("the state", live.state) + Output.printed("the live resource", live))
    if let error = live.error { note(Output.printed("the error of a live resource", error)) }
    let pages = resources.pages(of: Resource<[Row]>(json: request), by: .link)
    await pages.reload()
    if let error = pages.error { note(Output.printed("the error of live pages", error)) }
    note(Output.printed("the live pages", pages))
    client.close()
    return taken
  }
}

extension Stage {
  /// Loads in all other forms.
  func forms(_ ending: Ending) async throws -> [Output] {
    let (client, request) = try setup(ending)
    await noting("streaming values") {
      let stream = try await client.stream(request)
      note(Output.printed("the stream", stream))
      for try await item in stream.values(of: Item.self) { note("an item", "\(item.number)") }
    }
    await noting("events of a server") {
      for try await event in client.events(of: request, maximumFailures: 0) {
        note("the type of an event", event.type)
      }
    }
    await noting("pages") {
      for try await _ in client.pages(of: Resource<[Item]>(json: request), by: .link) {}
    }
    await noting("GraphQL") {
      let operation = GraphQLOperation("{ a }", variables: ["password": self.secret.text])
      _ = try await client.load(Resource<Item>.graphQL(operation, to: request.body(nil)))
    }
    await noting("a promise") {
      _ = try await client.promise(for: Resource<Item>(json: request)).get()
    }
    await noting("a batch") {
      for await loaded in client.loadAll([Resource<Item>(json: request)]) {
        note(Output.printed("a result", loaded.result))
        _ = try loaded.result.get()
      }
    }
    client.close()
    return taken
  }

  /// Downloads to a file that is cut in the middle, and returns what stays for resuming it.
  func download() async throws -> [Output] {
    let cut = Ending(name: "cut") { request, _ in
      .response(
        headers: [.eTag: #""v1""#, .acceptRanges: "bytes", "Content-Length": "10"],
        body: Data("abc".utf8))
    }
    let (client, request) = try setup(cut)
    let file = folder.file("download")
    await noting("a download") {
      let resource = Resource.download(request, to: file, resuming: true)
      note(Output.printed("the download", try await client.load(resource)))
    }
    client.close()
    return taken + (try Output.files(in: folder.url))
  }

  private func noting(_ name: String, _ body: () async throws -> Void) async {
    do { try await body() } catch { note(Output.printed("the error of \(name)", error)) }
  }
}
