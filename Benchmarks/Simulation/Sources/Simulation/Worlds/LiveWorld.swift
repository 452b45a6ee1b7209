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
  /// The writes of each path that haven't ended.
  private var openWrites: [String: Int] = [:]
  /// The writes of the list that haven't ended.
  private var listWrites = 0
  private let window = chance(400) ? 1 + pick(2) : nil
  /// When the program has last set the value of a path.
  private var pushes: [String: Nanoseconds] = [:]
  private let hasCache = chance(600)
  private var options = LiveOptions()
  private let span = pick(of: [20, 20, 3]) * second

  override func play() {
    begin()
    let steps = 10 + pick(40)
    for _ in 0..<steps {
      let (path, kind) = (pick(of: paths + [latePath]), pick(of: Kind.allCases))
      plan(at: moment(below: span)) { [self] in
        Task { @MainActor in await step(kind, path) }
      }
    }
    // And at the very moment at which something arrives, mostly with what has arrived.
    let actsAtEnds = chance(400)
    server.onEnd = { [self] arrived in
      guard actsAtEnds, sim_now() < span, chance(150) else { return }
      let all = paths + [latePath]
      let path = all.contains(arrived) && chance(500) ? arrived : pick(of: all)
      let kinds = arrived == ListServer.path && chance(700) ? Kind.ofPages : Kind.allCases
      let kind = pick(of: kinds)
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
    note("a client \(hasCache ? "with" : "without") a cache; the network: \(server.weather)")
    Task { @MainActor in
      live = LiveResources(client, options: options, clock: SimulatedClock())
      for path in paths { for _ in 0..<(1 + pick(2)) { observe(path) } }
      pages = live?.pages(of: list, by: .page("page"), window: window)
      // What is read is observed.
      _ = pages?.elements
    }
  }

  private func client() -> Client {
    server.weather = Weather(
      loss: pick(of: [0, 50, 200]), reset: pick(of: [0, 50]), errors: pick(of: [0, 50]),
      drip: pick(of: [0, 0, 200]), latency: pick(of: [5, 50, 500]) * millisecond)
    server.maximumAge = pick(of: [0, 2, 10])
    let transport = SimulatedTransport(server)
    self.transport = transport
    var middleware: [any Middleware] = [
      CoalescingMiddleware(), RetryMiddleware(RetryPolicy(maximumAttempts: 3), budget: nil),
    ]
    if hasCache { middleware.insert(HTTPCache(.memory(maximumSize: 1 << 20)), at: 0) }
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

  private var list: Resource<[ListServer.Item]> {
    Resource(json: .get(RequestPath(ListServer.path)))
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
        if observer.last.map(words) != words(state) { note("\(path) shows \(words(state))") }
        observer.last = state
        checkPush(path, state)
        if pending[path] ?? 0 > 0, let version = state.value?.version, version < 1000 {
          violate(.writesAreShown, "\(path) shows version \(version) while a write is under way")
        }
      })
  }

  private func words(_ state: LiveState<Document>) -> String {
    let error = state.error.map { ", error \(($0 as? LoadError)?.reason ?? "\($0)")" } ?? ""
    let value = state.value.map { "version \($0.version)" } ?? "nothing"
    return "\(value)\(state.isStale ? ", stale" : "")"
      + "\(state.isLoading ? ", loading" : "")\(error)"
  }

  /// What happens to a live resource, or to the pages.
  private enum Kind: CaseIterable {
    case change, changeAgain, unknownChange, reload, write, glance, set, update
    case changeList, nextPage, previousPage, writeList

    static let ofPages: [Kind] = [.changeList, .changeList, .nextPage, .previousPage, .writeList]
  }

  @MainActor
  private func step(_ kind: Kind, _ path: String) async {
    guard let live else { return }
    switch kind {
    case .change, .changeAgain:
      server.change(path)
      // What nobody holds, and has left the register, can be invalidated by the register only.
      if chance(500) || path == latePath {
        live.invalidate(resource(path))
      } else {
        live.resource(resource(path)).invalidate()
      }
    case .changeList:
      server.changeList()
      pages?.invalidate()
    case .nextPage: await pages?.loadNext()
    case .previousPage: await pages?.loadPrevious()
    case .writeList: await writeList()
    case .unknownChange:
      // Nobody tells of this one but the interval.
      if options.interval != nil, path != latePath { server.change(path) }
    case .reload where path != latePath: await live.resource(resource(path)).reload()
    case .write where path != latePath: await write(path)
    case .set where path != latePath: push(path, isWhole: true)
    case .update where path != latePath: push(path, isWhole: false)
    default:
      let observation = live.observe(resource(path)) { _ in }
      await rest(for: Nanoseconds(pick(2000)) * millisecond)
      observation.cancel()
    }
  }

  /// Shows at once what the server sends on its own, a whole value or a part of one.
  @MainActor
  private func push(_ path: String, isWhole: Bool) {
    // Over the changes of a write it would hide them.
    guard let live, openWrites[path, default: 0] == 0 else { return }
    server.change(path)
    let new = Document(path: path, user: "-", version: server.version(of: path), exchange: -1)
    let target = live.resource(resource(path))
    // Without a value there is nothing to update.
    if isWhole || target.value != nil { pushes[path] = sim_now() }
    note("the server sends version \(new.version) of \(path)")
    if isWhole { target.set(new) } else { target.update { $0 = new } }
    // A cache may have an older one.
    if hasCache || !isWhole { target.invalidate() }
  }

  @MainActor
  private func write(_ path: String) async {
    guard let live else { return }
    openWrites[path, default: 0] += 1
    var request = Request.put(RequestPath(path)).headers(["X-Value": "1"])
    request.options.isIdempotent = true
    let (read, sent) = (resource(path), Resource<Document>(json: request))
    let write = Task { @MainActor in
      _ = try? await live.send(sent) { $0.update(read) { $0.version += 1000 } }
      pending[path, default: 0] -= 1
      openWrites[path, default: 0] -= 1
    }
    // It counts once the observers have been told.
    for _ in 0..<3 { await rest(for: 0) }
    pending[path, default: 0] += 1
    await write.value
    // It is loaded again after a write; telling of it once more does no harm.
    if chance(500) { live.resource(read).invalidate() }
  }

  @MainActor
  private func writeList() async {
    guard let live else { return }
    var request = Request.put(RequestPath(ListServer.path))
    request.options.isIdempotent = true
    listWrites += 1
    let write = Task { @MainActor in
      _ = try? await live.send(Resource<[ListServer.Item]>(json: request)) {
        $0.update(pagesOf: list) { items in
          items = items.map { ListServer.Item(id: $0.id, version: $0.version + 1000) }
        }
      }
      listWrites -= 1
    }
    await rest(for: Nanoseconds(pick(200)) * millisecond)
    if listWrites > 0, let item = pages?.elements.first, item.version < 1000 {
      violate(.writesAreShown, "pages show \(item) while a write is under way")
    }
    await write.value
  }
}

// MARK: - End

extension LiveWorld {
  /// Nothing that began before a value was set is shown after it, but by a cache.
  private func checkPush(_ path: String, _ state: LiveState<Document>) {
    guard !hasCache, let push = pushes[path], let value = state.value, value.exchange >= 0,
      server.records[value.exchange].began < push
    else { return }
    violate(
      .setIsNewer,
      "\(path) shows version \(value.version), from request \(value.exchange)")
  }

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
      let start = pages.hasPrevious ? pages.elements.first?.id ?? 0 : 0
      let list = server.list.dropFirst(start).prefix(pages.pageCount * ListServer.pageLength)
      if let window, pages.pageCount > window {
        violate(.observersAreTold, "pages keep \(pages.pageCount) pages")
      }
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
