import CSimulation
import Foundation
import PromiseModule
import ResourceCache
import ResourceLoading
import ResourceState

/// Live resources over a bad network, whose server tells of each change by an invalidation.
final class LiveWorld: World, @unchecked Sendable {
  /// What an observer was told last.
  private final class Observer: @unchecked Sendable {
    var last: LiveState<Document>?
  }

  private lazy var server = ListServer(self)
  private var pages: LivePages<ListServer.Item>?
  private let paths = (0..<3).map { "/d\($0)" }
  /// What has no observer until the end, but for a while now and then.
  private let latePath = "/late"
  private var observers: [String: [Observer]] = [:]
  private var observations: [LiveObservation] = []
  private var live: LiveResources?
  private weak var transport: SimulatedTransport?
  /// The writes of each path of which the observers know and that haven't ended.
  private var pending: [String: Int] = [:]
  private var options = LiveOptions()
  private let span = pick(of: [20, 20, 3]) * second

  override func play() {
    begin()
    let steps = 10 + pick(40)
    for _ in 0..<steps {
      let (path, kind) = (pick(of: paths + [latePath]), pick(9))
      plan(at: moment(below: span)) { [self] in
        Task { @MainActor in await step(kind, path) }
      }
    }
    // And at the very moment at which something arrives.
    let actsAtEnds = chance(400)
    server.onEnd = { [self] in
      guard actsAtEnds, sim_now() < span, chance(150) else { return }
      let (path, kind) = (pick(of: paths + [latePath]), pick(9))
      soon { [self] in Task { @MainActor in await step(kind, path) } }
    }
    run(until: span + 30 * second)
    server.onEnd = nil
    recover()
    settle()
    checkPages()
    settle()
    checkObservers()
    letGo()
  }

  private func begin() {
    let client = client()
    prepareOptions()
    Task { @MainActor in
      live = LiveResources(client, options: options, clock: SimulatedClock())
      for path in paths { for _ in 0..<(1 + pick(2)) { observe(path) } }
      let first = Resource<[ListServer.Item]>(json: .get(RequestPath(ListServer.path)))
      pages = live?.pages(of: first, by: .page("page"))
      // What is read is observed.
      _ = pages?.elements
    }
  }

  private func client() -> Client {
    server.weather = Weather(
      loss: pick(of: [0, 50, 200]), reset: pick(of: [0, 50]), errors: pick(of: [0, 50]),
      latency: pick(of: [5, 50, 500]) * millisecond)
    server.maximumAge = pick(of: [0, 2, 10])
    let transport = SimulatedTransport(server)
    self.transport = transport
    var middleware: [any Middleware] = [
      CoalescingMiddleware(), RetryMiddleware(RetryPolicy(maximumAttempts: 3), budget: nil),
    ]
    if chance(600) { middleware.insert(HTTPCache(.memory(maximumSize: 1 << 20)), at: 0) }
    return Client(baseURL: URL(string: "https://host.example")) {
      $0.transport = transport
      $0.clock = SimulatedClock()
      $0.options.timeout = .seconds(10)
      $0.middleware = middleware
    }
  }

  private func prepareOptions() {
    options.freshness = pick(of: [.untilInvalidated, .http, .duration(.seconds(5))])
    options.cancelsWhenUnobserved = chance(300)
    if chance(500) { options.grace = .milliseconds(pick(of: [0, 500])) }
    if chance(300) { options.interval = .seconds(7) }
  }

  private func resource(_ path: String) -> Resource<Document> {
    Resource<Document>(json: Request.get(RequestPath(path)))
  }
}

// MARK: - Events

extension LiveWorld {
  @MainActor
  private func observe(_ path: String) {
    guard let live else { return }
    let observer = Observer()
    observers[path, default: []].append(observer)
    observations.append(
      live.observe(resource(path)) { [self] state in
        observer.last = state
        note("\(path) shows \(words(state))")
        if pending[path] ?? 0 > 0, let version = state.value?.version, version < 1000 {
          violate(.writesAreShown, "\(path) shows version \(version) while a write is under way")
        }
      })
  }

  private func words(_ state: LiveState<Document>) -> String {
    let error = state.error.map { ", error \(($0 as? LoadError)?.reason ?? "\($0)")" } ?? ""
    return "version \(state.value?.version ?? -1)\(state.isStale ? ", stale" : "")"
      + "\(state.isLoading ? ", loading" : "")\(error)"
  }

  @MainActor
  private func step(_ kind: Int, _ path: String) async {
    guard let live else { return }
    switch kind {
    case 0, 1, 2:
      server.change(path)
      // What nobody holds, and has left the register, can be invalidated by the register only.
      if chance(500) || path == latePath {
        live.invalidate(resource(path))
      } else {
        live.resource(resource(path)).invalidate()
      }
    case 7:
      server.changeList()
      pages?.invalidate()
    case 8: await pages?.loadNext()
    case 6:
      // Nobody tells of this one but the interval.
      if options.interval != nil, path != latePath { server.change(path) }
    case 3 where path != latePath: await live.resource(resource(path)).reload()
    case 4 where path != latePath: await write(path)
    default:
      let observation = live.observe(resource(path)) { _ in }
      try? await SimulatedClock().sleep(for: .milliseconds(pick(2000)))
      observation.cancel()
    }
  }

  @MainActor
  private func write(_ path: String) async {
    guard let live else { return }
    var request = Request.put(RequestPath(path)).headers(["X-Value": "1"])
    request.options.isIdempotent = true
    let (read, sent) = (resource(path), Resource<Document>(json: request))
    let write = Task { @MainActor in
      _ = try? await live.send(sent) { $0.update(read) { $0.version += 1000 } }
      pending[path, default: 0] -= 1
    }
    // It counts once the observers have been told.
    for _ in 0..<3 { await Task.yield() }
    pending[path, default: 0] += 1
    await write.value
    // It is loaded again after a write; telling of it once more does no harm.
    if chance(500) { live.resource(read).invalidate() }
  }
}

// MARK: - End

extension LiveWorld {
  /// The network is good again; what failed is loaded once more.
  private func recover() {
    server.weather = .fine
    Task { @MainActor in
      observe(latePath)
      if pages?.error != nil { Task { @MainActor in await pages?.reload() } }
      for path in paths where observers[path]?.last?.last?.error != nil {
        Task { @MainActor in await live?.resource(resource(path)).reload() }
      }
    }
    run(until: sim_now() + 30 * second)
  }

  /// What an interval has begun ends.
  private func settle() {
    guard options.interval != nil else { return }
    for _ in 0..<200 where !server.running.isEmpty { run(until: sim_now() + 50 * millisecond) }
  }

  private func checkPages() {
    Task { @MainActor in
      guard let pages else { return }
      let list = server.list.prefix(pages.pageCount * ListServer.pageLength)
      if pages.isLoading { violate(.observersAreTold, "pages load for ever") }
      if let error = pages.error { violate(.observersAreTold, "pages show \(error)") }
      if pages.elements != Array(list) {
        violate(.observersAreTold, "pages show \(pages.elements), but the server has \(list)")
      }
    }
    run(until: sim_now() + second)
  }

  private func checkObservers() {
    for (path, all) in observers {
      for observer in all { check(path, observer.last) }
    }
    if !server.running.isEmpty {
      violate(.nothingRuns, "requests \(server.running.keys.sorted()) still run")
    }
  }

  private func check(_ path: String, _ state: LiveState<Document>?) {
    guard let state else { return violate(.observersAreTold, "\(path) was never shown") }
    if state.isLoading { violate(.observersAreTold, "\(path) loads for ever") }
    if state.error != nil { return violate(.observersAreTold, "\(path) shows \(words(state))") }
    if state.value?.version != server.version(of: path) {
      violate(
        .observersAreTold,
        "\(path) shows \(words(state)), but the server has \(server.version(of: path))")
    }
    if state.isStale, case .untilInvalidated = options.freshness {
      violate(.observersAreTold, "\(path) stays stale")
    }
  }

  private func letGo() {
    Task { @MainActor in
      for observation in observations { observation.cancel() }
      observations = []
      pages = nil
      live?.removeAll()
      live = nil
    }
    run(until: sim_now() + 400 * second)
    if transport != nil { violate(.nothingLives, "the client's transport") }
  }
}
