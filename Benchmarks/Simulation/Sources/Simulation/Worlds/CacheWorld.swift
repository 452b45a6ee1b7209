import CSimulation
import Foundation
import ResourceCache
import ResourceLoading
import ResourceStore

/// Two clients of several users over one storage, in memory or on a disk. Each cached response is
/// held against RFC 9111 as `CacheServer` reads it.
final class CacheWorld: World, @unchecked Sendable {
  lazy var server = CacheServer(self)
  var clients: [Client] = []
  private var caches: [HTTPCache] = []
  private weak var transport: SimulatedTransport?
  private let folder = "/dev/shm/simulated-cache-\(getpid())"
  private let span = pick(of: [40, 40, 10]) * second
  /// Who loads, and in which languages: a few loads of many responses, or many of a few, which meet.
  private lazy var users: [String?] = chance(400) ? ["a"] : [nil, "a", "b"]
  private lazy var languages = chance(400) ? ["de"] : ["de", "en"]
  /// Whether something is removed at the very moment at which something arrives or is shown.
  private let removesAtOnce = chance(400)
  /// Whether loads share what a cache has answered.
  var sharesAnswers = false
  /// Whether the storage is too small for all responses.
  private var evicts = false
  /// Whether each client has a cache of its own over the same storage.
  var areApart = false
  var open = 0
  var loadCount = 0
  /// When loads of a path must have begun in order to use what is stored now.
  var changes: [Change] = []

  /// The newest version that has come from the server for a user, and when it was made.
  private var newest: [String: (version: Int, made: Nanoseconds, ended: Nanoseconds)] = [:]

  struct Change {
    var words: String
    /// The client that has written, or from whose cache something was removed.
    var client: Int
    var isRemoval: Bool
    /// `nil` for all paths.
    var path: String?
    /// `nil` for all users.
    var user: String?
    var began: Nanoseconds
    var ended: Nanoseconds
  }

  override func play() {
    try? FileManager.default.removeItem(atPath: folder)
    mkdir(folder, 0o700)
    sim_disk_reset(seed &* 31 &+ 7)
    sim_disk_mode(1)
    prepare()
    for _ in 0..<(20 + pick(60)) { plan(at: moment(below: span)) { [self] in begin() } }
    for _ in 0..<pick(of: [1, 1, 8]) { plan(at: moment(below: span)) { [self] in meet() } }
    for _ in 0..<pick(10) { plan(at: moment(below: span)) { [self] in write() } }
    let removals = pick(of: [5, 5, 30])
    for _ in 0..<pick(removals) { plan(at: moment(below: span)) { [self] in remove() } }
    for _ in 0..<pick(20) {
      plan(at: moment(below: span)) { [self] in server.change(server.anyPath) }
    }
    server.onEnd = { [self] in removeNow($0) }
    run(until: 3600 * second) { [self] in sim_now() > span && open == 0 }
    server.onEnd = nil
    if open > 0 { violate(.endsOnce, "\(open) of \(loadCount) loads never ended") }
    (clients, caches) = ([], [])
    run(until: sim_now() + 400 * second)
    if transport != nil { violate(.nothingLives, "the transport") }
    try? FileManager.default.removeItem(atPath: folder)
  }

  private func prepare() {
    server.weather = Weather(
      loss: pick(of: [0, 0, 100]), reset: pick(of: [0, 50]), errors: pick(of: [0, 100]),
      drip: pick(of: [0, 100, 400]), latency: pick(of: [5, 50, 500]) * millisecond)
    let transport = SimulatedTransport(server)
    self.transport = transport
    let file = URL(filePath: folder + "/cache.sqlite")
    // Small ones forget, too.
    let size = pick(of: [2_000, 1 << 20])
    let kind = pick(3)
    let failsOnce = kind > 0 && chance(200)
    evicts = size == 2_000 && kind < 2
    switch kind {
    case 0:
      let storage = MemoryResponseStorage.memory(maximumSize: size)
      caches = [HTTPCache(storage), HTTPCache(storage)]
      areApart = true
    case 1:
      let storage = SQLiteResponseStorage.sqlite(file, maximumSize: max(size, 20_000))
      // What a cache couldn't remove only that cache knows of.
      let first = HTTPCache(storage)
      caches = [first, failsOnce ? first : HTTPCache(storage)]
      areApart = !failsOnce
    default:
      let cache = HTTPCache(
        .memory(maximumSize: size), before: .sqlite(file))
      caches = [cache, cache]
    }
    note("the responses are \(["in memory", "in a file", "in memory and a file"][kind])")
    note("the network: \(server.weather)")
    if failsOnce { sim_disk_error_at(Int64(pick(400))) }
    let order = pick(3)
    sharesAnswers = order == 1
    clients = caches.map { cache in
      Client(baseURL: URL(string: "https://host.example")) {
        $0.transport = transport
        $0.clock = SimulatedClock()
        $0.options.timeout = .seconds(20)
        $0.middleware =
          switch order {
          case 0: [cache]
          case 1: [CoalescingMiddleware(), cache]
          default: [cache, CoalescingMiddleware()]
          }
      }
    }
  }
}

// MARK: - Events

extension CacheWorld {
  private func request(_ path: String, _ user: String?, _ language: String) -> Request {
    let parts = path.split(separator: ":")
    var request = Request.get(RequestPath(String(parts[0]))).headers(["Accept-Language": language])
    if parts.count > 1 {
      request.method = .query
      request.body = .text(String(parts[1]))
    }
    if let user { request.headers[.authorization] = "Bearer \(user)" }
    return request
  }

  /// Something is loaded, and when it is stale it is loaded, removed and loaded again almost at
  /// once, by the same user.
  private func meet() {
    // Mostly what is revalidated in the background, whose races are the rarest.
    let path = chance(600) ? "/meanwhile" : server.anyPath
    let (user, language, index) = (pick(of: users), pick(of: languages), pick(clients.count))
    // Unless the world has ended.
    let load = { [self] in if !clients.isEmpty { begin(path, user, language, by: index) } }
    let pause = pick(of: [20 * microsecond, 200 * microsecond, 5 * millisecond, 300 * millisecond])
    let moments = (0..<5).map { _ in 2500 * millisecond + Nanoseconds(pick(Int(pause))) }.sorted()
    load()
    for (place, moment) in moments.enumerated() {
      after(moment) { [self] in if place == 2, !caches.isEmpty { remove(path) } else { load() } }
    }
    for _ in 0..<2 { after(3 * second + Nanoseconds(pick(2000)) * millisecond, load) }
  }

  private func begin() {
    begin(server.anyPath, pick(of: users), pick(of: languages), by: pick(clients.count))
  }

  private func begin(_ path: String, _ user: String?, _ language: String, by index: Int) {
    if path == CacheServer.parts { return beginPart(user, by: index) }
    let path = server.isQueried(path) ? "\(path):\(pick(of: ["x", "y"]))" : path
    let number = loadCount
    loadCount += 1
    let client = clients[index]
    let policy: Request.CachePolicy = pick(
      of: [.standard, .standard, .standard, .reload, .freshOnly, .networkOnly])
    let asked = CacheServer.Asked(
      path: path, user: user ?? "-", language: language, began: sim_now())
    let request = request(path, user, language).cachePolicy(policy)
    note(
      "client \(index) begins load \(number) of \(path) for \(user ?? "nobody") in \(language), \(policy)"
    )
    open += 1
    Task { [self] in
      do {
        let loaded = try await client.load(Resource<Document>(json: request).withResponse)
        note(
          "load \(number) gets version \(loaded.value.version), from request \(loaded.value.exchange), \(loaded.response.source)"
        )
        check(asked, loaded, number, of: index)
        removeNow(CacheServer.resource(path))
      } catch {
        note("load \(number) fails: \((error as? LoadError)?.reason ?? "\(error)")")
      }
      open -= 1
    }
  }

  private func write() {
    let path = server.anyPath
    let index = pick(clients.count)
    let client = clients[index]
    let began = sim_now()
    Task { [self] in
      let request = Request.put(RequestPath(path)).headers(["X-Value": "1"])
      guard let loaded = try? await client.load(Resource<Document>(json: request)) else { return }
      for path in server.invalidated(byWriting: path) {
        changes.append(
          Change(
            words: "a write of version \(loaded.version)", client: index, isRemoval: false,
            path: path, began: began, ended: sim_now()))
      }
      note("\(path) is written")
    }
  }

  private func removeNow(_ path: String) {
    guard removesAtOnce, sim_now() < span, chance(100) else { return }
    soon { [self] in remove(chance(500) ? path : nil) }
  }

  private func remove(_ path: String? = nil) {
    let index = pick(caches.count)
    let cache = caches[index]
    let (path, began, kind) = (path ?? server.anyPath, sim_now(), pick(3))
    let words = ["\(path)", "everything", "what needs credentials"][kind]
    note("cache \(index) is to remove \(words)")
    Task { [self] in
      switch kind {
      case 0:
        guard let url = URL(string: "https://host.example" + path) else { return }
        try await cache.remove(url)
      case 1: try await cache.removeAll()
      default: try await cache.removeCredentials()
      }
      var change = Change(
        words: "a removal", client: index, isRemoval: true, began: began, ended: sim_now())
      if kind == 0 { change.path = path }
      if kind == 2 { change.user = "signed in" }
      changes.append(change)
      note("cache \(index) has removed \(words)")
    }
  }
}

// MARK: - Checks

extension CacheWorld {
  private func check(
    _ asked: CacheServer.Asked, _ loaded: LoadedResponse<Document>, _ number: Int,
    of client: Int
  ) {
    guard let fact = server.facts[loaded.value.exchange] else { return }
    if fact.path != asked.path {
      violate(.ownResponse, "load \(number) of \(asked.path) got \(fact.path)")
    }
    if fact.rule.isForUser, fact.user != asked.user {
      violate(.ownUser, "load \(number) of \(asked.user) got the response of \(fact.user)")
    }
    if fact.rule.varies, fact.language != asked.language {
      violate(.selected, "load \(number) in \(asked.language) got one in \(fact.language)")
    }
    if case .network = loaded.response.source { return noteNewest(fact, asked) }
    if let reason = server.reasonAgainst(loaded, fact, asked) {
      violate(reason.invariant, "load \(number): \(reason.words)")
    }
    // What loads share is as new as the exchange that they share, as without a cache.
    var isShared = false
    if sharesAnswers, case .revalidated = loaded.response.source {
      isShared = server.isConfirmed(fact, since: asked.began)
    }
    if !isShared { checkOrder(fact, asked, number) }
    for change in changes where change.ended <= asked.began && fact.began < change.began {
      let resource = CacheServer.resource(asked.path)
      if (change.path ?? resource) != resource { continue }
      if change.user != nil, asked.user == "-" { continue }
      // It joins nothing that began before a change of its own client, but knows of no other one's.
      if isShared, change.client != client, areApart || !change.isRemoval { continue }
      violate(
        .removedIsGone,
        "load \(number) got the response to request \(loaded.value.exchange) after \(change.words)")
    }
  }

  private func key(_ fact: CacheServer.Fact) -> String {
    "\(fact.path) \(fact.user) \(fact.rule.varies ? fact.language : "")"
  }

  private func noteNewest(_ fact: CacheServer.Fact, _ asked: CacheServer.Asked) {
    // What a load that began before a removal has got isn't stored.
    guard fact.rule.mayBeStored, fact.made > newest[key(fact)]?.made ?? 0,
      !changes.contains(where: { $0.ended >= asked.began })
    else { return }
    newest[key(fact)] = (fact.version, fact.made, sim_now())
  }

  /// What is stored isn't replaced by something older, unless it was evicted. Within a second,
  /// servers can't tell which of two is older.
  private func checkOrder(_ fact: CacheServer.Fact, _ asked: CacheServer.Asked, _ number: Int) {
    guard !evicts, let before = newest[key(fact)], before.ended <= asked.began,
      fact.version < before.version, server.sendsDate, fact.made + 1100 * millisecond < before.made
    else { return }
    violate(
      .neverOlder,
      "load \(number) got version \(fact.version), after one had got \(before.version)")
  }
}
