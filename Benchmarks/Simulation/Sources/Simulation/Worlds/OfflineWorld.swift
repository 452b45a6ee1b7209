import CSimulation
import Foundation
import PromiseModule
import ResourceCache
import ResourceLoading
import ResourceOutbox
import ResourceState
import ResourceStore

/// An app for working offline: observers see what the server has with the writes that wait in an
/// outbox on top of it, also after the process has died.
final class OfflineWorld: ProcessesWorld, @unchecked Sendable {
  private let keys = ["a", "b"]
  private var app: App?
  /// What the server had, as the app keeps it.
  private var kept: [String: Document] = [:]
  private weak var transport: SimulatedTransport?
  private let hasCache = chance(500)

  /// What one process consists of.
  private final class App: @unchecked Sendable {
    let live: LiveResources
    let outbox: Outbox
    var observations: [LiveObservation] = []
    var shown: [String: LiveState<Document>] = [:]
    /// The writes of each key that observers know of, and that haven't ended.
    var pending: [String: Int] = [:]

    init(_ live: LiveResources, _ outbox: Outbox) { (self.live, self.outbox) = (live, outbox) }
  }

  /// How a version looks over which a write is waiting.
  private static let edited = 1_000_000

  override func live(_ process: UInt32, isLast: Bool) {
    isRepeatable = true
    let edits = isLast ? 3 : 4 + pick(8)
    Task { [self] in
      do {
        let store = try await openStore()
        let client = client()
        let outbox = try await openOutbox(over: store, with: client, concurrency: 1 + pick(4))
        let app = await begin(client, outbox)
        try await restore(app)
        note("process \(process) has begun")
        await withTaskGroup(of: Void.self) { group in
          for _ in 0..<edits {
            let (key, pause) = (pick(of: keys), pick(2000))
            group.addTask { [self] in
              try? await SimulatedClock().sleep(for: .milliseconds(pause))
              await act(on: key, in: app)
            }
          }
        }
        guard isLast else { return }
        try await drain(outbox)
        try await settle(app)
        await outbox.close()
        await store.close()
        isClosed = true
      } catch {
        note("process \(process): \(error)")
        if isLast { violate(.opensAgain, "\(error)") }
      }
    }
  }

  override func finish() {
    app = nil
    run(until: sim_now() + 400 * second)
    if transport != nil { violate(.nothingLives, "the client's transport") }
  }

  private func client() -> Client {
    let transport = SimulatedTransport(server)
    self.transport = transport
    var middleware: [any Middleware] = [CoalescingMiddleware()]
    if hasCache { middleware.insert(HTTPCache(.memory(maximumSize: 1 << 20)), at: 0) }
    return Client(baseURL: URL(string: "https://host.example")) {
      $0.transport = transport
      $0.clock = SimulatedClock()
      $0.options.timeout = .seconds(5)
      $0.middleware = middleware
    }
  }
}

/// Writes by an outbox, and loads everything else with a client.
private struct DurableLoader: Loader {
  let client: Client
  let outbox: Outbox
  let world: OfflineWorld

  struct Gone: Error {}

  func load<R>(_ resource: Resource<R>) async throws -> R {
    guard resource.request.method != .get else { return try await client.load(resource) }
    let receipt: OutboxReceipt
    if let id = resource.request.headers["X-Entry"].flatMap({ UUID(uuidString: $0) }) {
      // One that an earlier process has added.
      guard let found = try await outbox.receipt(for: id) else { throw Gone() }
      receipt = found
    } else {
      let key = resource.request.headers["X-Key"] ?? ""
      receipt = try await world.add(to: key) {
        try await outbox.add($0, as: OutboxKey(rawValue: key))
      }
    }
    return try resource.parser(try await receipt.answer())
  }
}

// MARK: - The app

extension OfflineWorld {
  private func resource(_ key: String) -> Resource<Document> {
    Resource<Document>(json: Request.get(RequestPath("/\(key)")))
  }

  @MainActor
  private func begin(_ client: Client, _ outbox: Outbox) -> App {
    let loader = DurableLoader(client: client, outbox: outbox, world: self)
    let app = App(LiveResources(loader, clock: SimulatedClock()), outbox)
    self.app = app
    for key in keys {
      if let kept = kept[key] { app.live.resource(resource(key)).set(kept) }
      app.observations.append(
        app.live.observe(resource(key)) { [self, unowned app] state in show(key, state, in: app) })
    }
    return app
  }

  /// Shows the writes of earlier processes again that haven't been sent.
  private func restore(_ app: App) async throws {
    for entry in try await app.outbox.currentEntries() {
      note("write \(entry.id.uuidString.prefix(8)) to \(entry.key.rawValue) is waiting still")
      let request = Request.put("/entry").headers(["X-Entry": entry.id.uuidString])
      await begin(Resource<Document>(json: request), to: entry.key.rawValue, in: app)
    }
  }

  private func act(on key: String, in app: App) async {
    if chance(300) {
      server.change("/\(key)")
      await app.live.resource(resource(key)).invalidate()
    } else {
      let request = Request.put("/edit").headers(["X-Key": key])
      await begin(Resource<Document>(json: request), to: key, in: app)
    }
  }

  /// Begins a write, which observers see at once.
  @MainActor
  private func begin(_ write: Resource<Document>, to key: String, in app: App) async {
    let read = resource(key)
    Task { @MainActor in
      _ = try? await app.live.send(write) { $0.update(read) { $0.version += Self.edited } }
      app.pending[key, default: 0] -= 1
    }
    // It counts once the observers have been told.
    for _ in 0..<3 { await rest(for: 0) }
    app.pending[key, default: 0] += 1
  }

  @MainActor
  private func show(_ key: String, _ state: LiveState<Document>, in app: App) {
    app.shown[key] = state
    guard let value = state.value else { return }
    note("\(key) shows version \(words(value.version))\(state.isLoading ? ", loading" : "")")
    if value.version < Self.edited {
      kept[key] = value
      if app.pending[key] ?? 0 > 0 {
        violate(.writesAreShown, "\(key) shows \(value.version) while a write is under way")
      }
    }
  }

  private func words(_ version: Int) -> String {
    let writes = version / Self.edited
    return "\(version % Self.edited)\(writes > 0 ? " with \(writes) writes" : "")"
  }
}

// MARK: - The end

extension OfflineWorld {
  /// With a good network, observers come to see what the server has.
  private func settle(_ app: App) async throws {
    try await SimulatedClock().sleep(for: .seconds(20))
    for key in keys where app.shown[key]?.error != nil {
      await app.live.resource(resource(key)).reload()
    }
    try await SimulatedClock().sleep(for: .seconds(10))
    for key in keys {
      let (shown, has) = (app.shown[key]?.value?.version, server.version(of: "/\(key)"))
      if shown != has {
        violate(
          .observersAreTold,
          "\(key) shows \(shown.map(words) ?? "nothing"), but the server has \(has)")
      }
    }
    await letGo(app)
  }

  @MainActor
  private func letGo(_ app: App) {
    for observation in app.observations { observation.cancel() }
    app.observations = []
    app.live.removeAll()
  }
}
