import CSimulation
import Foundation
import PromiseModule
import ResourceCache
import ResourceLoading

/// Some fifty loads of a client with middleware over a bad network, in all three forms: users sign
/// in, change documents, remove what is cached, and change their mind.
final class LoadsWorld: World, @unchecked Sendable {
  /// What the client is made of.
  struct Parts {
    var hasCache = chance(600)
    var hasAuthentication = chance(600)
    var hasCoalescing = chance(700)
    var hasLimit = chance(700)
    var attempts = 1 + pick(4)
    var limit = 1 + pick(4)
    var isCoalescingFirst = chance(500)
    var isLimitFirst = chance(500)
    /// The most requests in a second.
    var rate = chance(200) ? 2 + pick(4) : nil
    /// The most retries in all.
    var reserve = chance(300) ? 3 : nil
    /// Whether there is a limit for all hosts, of which there are two then.
    var hasOtherHost = chance(300)
    var isLimitInAllHigher = chance(500)
    /// Whether there is a stage that doesn't notice that a load has ended.
    var isStubborn = chance(150)

    /// The most requests to all hosts.
    var limitInAll: Int { isLimitInAllHigher ? limit + 1 : limit }

    /// Whether a load tells the server its number. Loads that do don't share anything.
    var areNumbered: Bool { !hasCache && !hasCoalescing }

    /// The most requests that a load may send.
    var mostRequests: Int { attempts * (hasAuthentication ? 2 : 1) * (hasCache ? 2 : 1) }
  }

  private(set) lazy var server = Server(self)
  private(set) lazy var parts = Parts()
  private(set) var client: Client?
  private(set) var cache: HTTPCache?
  private(set) var authentication: BearerAuthentication?
  private weak var transport: SimulatedTransport?
  private var closed: Nanoseconds?
  private var openWrites = 0
  private var writeCount = 0

  let user = Shared("a")
  private(set) var signIns = 0
  /// Whether the next user signs in while a token is renewed.
  private var signsInAtRenewal = false
  /// How far the clock has jumped, as it does when a machine sleeps.
  private(set) var jumped: Nanoseconds = 0
  private var span: Nanoseconds = 0
  private var paths: [String] = []
  private var wanted = 0

  private(set) var loads: [OneLoad] = []
  private let counts = RequestCounts()
  private var removals: [Removal] = []
  private var writes: [Write] = []
  /// The values that must not be written twice.
  private var onceOnly: Set<Int> = []

  private struct Removal {
    var path: String?
    var began: Nanoseconds
    var ended: Nanoseconds
  }

  private struct Write {
    var path: String
    var version: Int
    var ended: Nanoseconds
  }

  override func play() {
    prepareServer()
    prepareClient()
    note("the client has \(parts)")
    note("the network: \(server.weather)")
    planEvents()
    run()
    (server.onBegin, server.onEnd) = (nil, nil)
    checkLoads()
    checkRequests()
    if closed == nil { checkRoom() }
    letGo()
  }
}

extension LoadsWorld.Parts: CustomStringConvertible {
  var description: String {
    let limits = "a limit of \(limit) a host" + (hasOtherHost ? " and \(limitInAll) in all" : "")
    let parts: [(Bool, String)] = [
      (hasCache, "a cache"), (hasCoalescing, "coalescing"), (hasLimit, limits),
      (hasAuthentication, "a token"), (isStubborn, "a stage that heeds no end"),
      (rate != nil, "at most \(rate ?? 0) requests a second"),
      (reserve != nil, "a budget of \(reserve ?? 0) retries"),
    ]
    return (["\(attempts) attempts"] + parts.filter(\.0).map(\.1)).joined(separator: ", ")
  }
}

// MARK: - Beginning

extension LoadsWorld {
  private func prepareServer() {
    server.weather = Weather(
      loss: pick(of: [0, 50, 200]), reset: pick(of: [0, 50, 200]), stall: pick(of: [0, 10, 50]),
      errors: pick(of: [0, 50, 300]), retryAfter: pick(of: [0, 500]),
      drip: pick(of: [0, 100, 400]),
      latency: pick(of: [5, 50, 500]) * millisecond)
    server.maximumAge = pick(of: [0, 1, 3, 8])
    server.staleWhileRevalidate = pick(of: [0, 5, 20])
    server.sendsDate = chance(700)
    server.needsToken = parts.hasAuthentication
    parts.isStubborn = parts.isStubborn && !parts.hasCoalescing
    parts.hasLimit = parts.hasLimit || parts.rate != nil
    parts.hasOtherHost = parts.hasOtherHost && parts.hasLimit && !parts.hasAuthentication
    if parts.hasLimit { server.room = parts.limit }
    if parts.hasOtherHost { server.roomInAll = parts.limitInAll }
    paths = (0..<(1 + pick(4))).map { "/d\($0)" } + ["/large0"]
    if parts.hasOtherHost { paths += ["/e0", "/e1"] }
    span = Nanoseconds(5 + pick(60)) * second
    wanted = 20 + pick(60)
  }

  private func prepareClient() {
    let transport = SimulatedTransport(server)
    self.transport = transport
    let middleware = middleware()
    client = Client(baseURL: URL(string: "https://host.example")) {
      $0.transport = transport
      $0.clock = SimulatedClock()
      $0.middleware = middleware
      $0.maximumMemory = 300_000
      $0.observer = { [counts] in counts.note($0) }
    }
  }

  private func middleware() -> [any Middleware] {
    var middleware: [any Middleware] = parts.isStubborn ? [StubbornMiddleware()] : []
    if parts.hasCoalescing, parts.isCoalescingFirst { middleware.append(CoalescingMiddleware()) }
    if parts.hasCache {
      let cache = HTTPCache(.memory(maximumSize: 1 << 20))
      middleware.append(cache)
      self.cache = cache
    }
    if parts.hasCoalescing, !parts.isCoalescingFirst { middleware.append(CoalescingMiddleware()) }
    if parts.attempts > 1 {
      let backoff = Backoff(base: .milliseconds(100), maximum: .seconds(2))
      let policy = RetryPolicy(maximumAttempts: parts.attempts, backoff: backoff)
      let budget = parts.reserve.map { RetryMiddleware.Budget(reserve: Double($0), ratio: 0) }
      middleware.append(RetryMiddleware(policy, budget: budget))
    }
    // Either order is documented: both are inside of retries.
    let inner = [limit(), bearer()]
    middleware += (parts.isLimitFirst ? inner : inner.reversed()).compactMap(\.self)
    // Inside of everything that sends again, so that each request counts.
    if let rate = parts.rate { middleware.append(RateLimitMiddleware(rate, per: .seconds(1))) }
    return middleware
  }

  private func limit() -> (any Middleware)? {
    guard parts.hasLimit else { return nil }
    return ConcurrencyLimitMiddleware(
      maximumRequestsPerHost: parts.limit,
      maximumRequests: parts.hasOtherHost ? parts.limitInAll : nil)
  }

  private func bearer() -> (any Middleware)? {
    guard parts.hasAuthentication else { return nil }

    let token = BearerToken(server.issue("a", lifetime: 30 * second))
    let authentication = BearerAuthentication(token: token) { [user] _, loader in
      let request = Request.post("/token").headers(["X-User": user.value])
      let grant: Grant = try await loader.load(Resource(json: request.timeout(.seconds(20))))
      return BearerToken(grant.token)
    }
    self.authentication = authentication
    return authentication
  }

  private struct Grant: Decodable, Sendable {
    var token: String
  }
}

// MARK: - Events

extension LoadsWorld {
  private func planEvents() {
    // Those of the client's own host.
    let own = paths.filter { !$0.hasPrefix("/e") }
    for _ in 0..<wanted { plan(at: moment(below: span)) { [self] in begin(nil) } }
    for _ in 0..<pick(20) {
      plan(at: moment(below: span)) { [self] in server.change(pick(of: paths)) }
    }
    if !parts.hasAuthentication {
      for _ in 0..<pick(6) { plan(at: moment(below: span)) { [self] in write(pick(of: own)) } }
    }
    if parts.hasCache {
      for _ in 0..<pick(4) {
        plan(at: moment(below: span)) { [self] in remove(chance(500) ? pick(of: own) : nil) }
      }
    }
    if parts.hasAuthentication { planUsers() }
    if chance(200) { plan(at: moment(below: span)) { [self] in cancelAll() } }
    if chance(120) { plan(at: moment(below: span)) { [self] in close() } }
    if chance(100) {
      plan(at: moment(below: span)) { [self] in
        let time = Nanoseconds(pick(3)) * second
        jumped += time
        sim_advance(time)
        note("the machine sleeps for \(time / second) s")
      }
    }
    // All loads are cancelled at the very moment at which a request is sent.
    let cancelsAll = chance(300)
    server.onBegin = { [self] in
      if signsInAtRenewal, server.records.last?.path == "/token", chance(500) {
        after(latency(server.weather.latency)) { [self] in if signsInAtRenewal { signIn() } }
      }
      if cancelsAll, chance(20) { cancelAll() }
    }
    // A user changes their mind at the very moment at which something arrives.
    server.onEnd = { [self] path in
      if path == "/token", signsInAtRenewal { soon { [self] in signIn() } }
      let open = loads.filter { $0.isOpen && $0.cancelled == nil }
      guard chance(60), !open.isEmpty else { return }
      let load = pick(of: open)
      soon { [self] in cancel(load) }
    }
  }

  private func planUsers() {
    for _ in 0..<pick(3) {
      plan(at: moment(below: span)) { [self] in
        guard let token = server.tokens[server.currentToken] else { return }
        note("the server forgets the token \(server.currentToken)")
        server.tokens[server.currentToken] = (token.user, sim_now())
      }
    }
    guard chance(500) else { return }
    plan(at: moment(below: span)) { [self] in
      // Now, or when the token of the user before is being renewed.
      if chance(300) { signIn() } else { signsInAtRenewal = true }
    }
  }

  private func signIn() {
    signsInAtRenewal = false
    signIns += 1
    user.value = "b"
    note("b signs in")
    authentication?.signIn(BearerToken(server.issue("b", lifetime: 40 * second)))
    for path in paths { begin(path) }
  }

  private func write(_ path: String) {
    writeCount += 1
    openWrites += 1
    // What is under way when it ends may be older than it.
    if chance(500) { begin(path) }
    let target = RequestPath(path)
    let request = (chance(500) ? Request.put(target) : .post(target))
      .headers(["X-Value": "\(writeCount)"])
    if request.method == .post { onceOnly.insert(writeCount) }
    client?.load(Resource<Document>(json: request), on: .inline) { [self] result in
      openWrites -= 1
      guard case .success(let document) = result else { return }
      writes.append(Write(path: path, version: document.version, ended: sim_now()))
      note("version \(document.version) of \(path) is written")
      begin(path)
    }
  }

  /// Cancels all loads. Those that have begun a request are under way for certain.
  private func cancelAll() {
    note("all loads are cancelled")
    let running = Set(server.running.values.filter { !$0.isCancelled }.compactMap(\.load))
    for load in loads where load.isOpen {
      if running.contains(load.number) {
        load.cancelled = sim_now()
      } else {
        load.mayBeCancelled = true
      }
    }
    client?.cancelAll()
  }

  private func close() {
    guard closed == nil else { return }
    note("the client is closed")
    closed = sim_now()
    let running = Set(server.running.values.filter { !$0.isCancelled }.compactMap(\.load))
    for load in loads where load.isOpen && running.contains(load.number) {
      load.cancelled = sim_now()
    }
    client?.close()
  }

  private func remove(_ path: String?) {
    guard let cache else { return }
    let began = sim_now()
    Task { [self] in
      if let path {
        guard let url = URL(string: "https://host.example" + path) else { return }
        try await cache.remove(url)
      } else {
        try await cache.removeAll()
      }
      removals.append(Removal(path: path, began: began, ended: sim_now()))
      note("\(path ?? "everything") is removed from the cache")
    }
  }
}

// MARK: - Loads

extension LoadsWorld {
  private func begin(_ path: String?) {
    guard let client, loads.count < 3 * wanted else { return }
    let load = OneLoad(
      number: loads.count, path: path ?? pick(of: paths), user: user.value, signIns: signIns,
      isNumbered: parts.areNumbered)
    loads.append(load)
    note(
      "load \(load.number) of \(load.path), \(load.policy), \(load.timeout / millisecond) ms, for \(load.user)"
    )
    load.begin(with: client) { [self] outcome in check(load, outcome) }
    guard chance(250) else { return }
    after(latency(300 * millisecond)) { [self] in cancel(load) }
  }

  private func cancel(_ load: OneLoad) {
    guard load.isOpen else { return }
    load.cancelled = sim_now()
    note("load \(load.number) is cancelled")
    load.cancel()
  }

  private func check(_ load: OneLoad, _ outcome: Result<LoadedResponse<Document>, any Error>) {
    let now = sim_now()
    let slack = 300 * millisecond
    load.endings += 1
    load.ended = now
    if load.endings > 1 { violate(.endsOnce, "load \(load.number) ended again") }
    let deadline = load.begun + load.timeout
    if now > deadline + jumped + slack {
      violate(
        .endsInTime, "load \(load.number) ended \((now - deadline) / millisecond) ms too late")
    }
    if let cancelled = load.cancelled, now > cancelled + slack + jumped {
      violate(
        .endsInTime,
        "load \(load.number) ended \((now - cancelled) / millisecond) ms after it was cancelled")
    }
    switch outcome {
    case .success(let loaded): check(load, loaded)
    case .failure(let error):
      checkLimits(load, error)
      checkAttempts(load, error)
      check(load, error)
    }
    guard !loads.contains(where: \.isOpen) else { return }
    after(600 * millisecond) { [self] in checkQuiet() }
  }

  /// When all loads have ended, and only then, nothing is under way for them.
  private func checkQuiet() {
    guard !parts.hasCache, !parts.hasAuthentication, openWrites == 0,
      !loads.contains(where: { $0.isOpen || sim_now() - $0.ended < 500 * millisecond })
    else { return }
    let running = server.running.filter { !$0.value.isCancelled }.keys.sorted()
    if !running.isEmpty { violate(.nothingRuns, "requests \(running) run for no load") }
  }

  private func checkLimits(_ load: OneLoad, _ error: any Error) {
    if error is CancellationError, load.cancelled == nil, !load.mayBeCancelled {
      violate(.ownLimits, "load \(load.number) ended as cancelled, which it wasn't")
    }
    // A cache shortens a validation, so that there is time for what it has.
    guard let error = error as? LoadError, error.kind == .timedOut, load.attemptTimeout == nil,
      !error.reason.hasPrefix("nothing arrived"), jumped == 0, !parts.hasCache,
      sim_now() + 50 * millisecond < load.begun + load.timeout
    else { return }
    violate(
      .ownLimits,
      "load \(load.number) of \(load.timeout / millisecond) ms ended after \((sim_now() - load.begun) / millisecond) ms: \(error.reason)"
    )
  }

  /// What fails in passing is tried again while the policy has attempts and the load has time: here
  /// for the longest wait that the client or the server may choose.
  private func checkAttempts(_ load: OneLoad, _ error: any Error) {
    guard let error = error as? LoadError, [.status, .connection].contains(error.kind),
      parts.reserve == nil, !parts.hasAuthentication, !parts.hasCache, closed == nil, jumped == 0,
      load.cancelled == nil, load.begun + load.timeout - sim_now() > 5 * second
    else { return }
    if error.attempts.count < parts.attempts {
      violate(
        .requestPolicy,
        "load \(load.number) had \(error.attempts.count) attempts, of \(parts.attempts)")
    }
  }

  private func check(_ load: OneLoad, _ error: any Error) {
    note("load \(load.number) fails: \((error as? LoadError)?.reason ?? "\(error)")")
    guard let error = error as? LoadError, error.kind == .timedOut, error.attempts.isEmpty,
      parts.hasLimit, !parts.hasAuthentication, parts.rate == nil, !parts.isStubborn, jumped == 0,
      let free = server.free(for: load.host)
    else { return }
    if free > second, load.timeout > 1500 * millisecond,
      sim_now() - load.begun > 1500 * millisecond
    {
      violate(
        .sendsWhenFree,
        "load \(load.number) wasn't sent although there was room for \(free / millisecond) ms")
    }
  }

  private func check(_ load: OneLoad, _ loaded: LoadedResponse<Document>) {
    let value = loaded.value
    note(
      "load \(load.number) gets version \(value.version) of \(value.path), from request \(value.exchange), \(loaded.response.source)"
    )
    // Views load again what they have just shown.
    if chance(150) {
      if chance(500) { begin(load.path) } else { soon { [self] in begin(load.path) } }
    }
    if value.path != load.path {
      violate(.ownResponse, "load \(load.number) of \(load.path) got \(value.path)")
    }
    if parts.hasAuthentication, load.signIns == signIns, value.user != load.user {
      violate(
        .ownUser, "load \(load.number) of user \(load.user) got the response of \(value.user)")
    }
    let record = server.records[value.exchange]
    if case .network = loaded.response.source {
      checkFresh(load, value, record)
    } else {
      checkStored(load, loaded, record)
    }
  }

  private func checkFresh(_ load: OneLoad, _ value: Document, _ record: Server.Record) {
    for write in writes
    where write.path == load.path && write.ended <= load.begun && value.version < write.version {
      violate(
        .noOlderThanWrite,
        "load \(load.number) got version \(value.version) after a write of \(write.version)")
    }
    if record.ended < load.begun {
      violate(
        .currentExchange,
        "load \(load.number) got a response that was received \((load.begun - record.ended) / microsecond) µs before"
      )
    }
  }

  private func checkStored(
    _ load: OneLoad, _ loaded: LoadedResponse<Document>, _ record: Server.Record
  ) {
    for removal in removals
    where removal.ended <= load.begun && record.began < removal.began
      && (removal.path ?? load.path) == load.path
    {
      violate(
        .removedIsGone, "load \(load.number) got the response to request \(loaded.value.exchange)")
    }
    // A version may be used for its lifetime after it was replaced.
    let replaced = server.end(of: loaded.value.version, of: load.path)
    var lifetime = Nanoseconds(server.maximumAge) * second
    switch loaded.response.source {
    case .stale(_, .failed): return
    case .stale:
      guard load.policy == .standard else { return }
      lifetime += Nanoseconds(server.staleWhileRevalidate) * second
    case .revalidated: lifetime = load.timeout
    default: break
    }
    if replaced != .max, load.begun - replaced > lifetime + 1100 * millisecond {
      violate(
        .freshness,
        "load \(load.number) got version \(loaded.value.version) as \(loaded.response.source), \((load.begun - replaced) / millisecond) ms after it was replaced"
      )
    }
  }
}

// MARK: - End

extension LoadsWorld {
  private func checkLoads() {
    for load in loads where load.endings == 0 {
      violate(.endsOnce, "load \(load.number) of \(load.path) never ended")
    }
    if !server.running.isEmpty {
      violate(.nothingRuns, "requests \(server.running.keys.sorted()) still run")
    }
    guard !parts.hasCache else { return }
    if !parts.hasCoalescing, let most = counts.sent.values.max(), most > parts.mostRequests {
      violate(.requestPolicy, "a load sent \(most) requests, more than \(parts.mostRequests)")
    }
    if !parts.hasAuthentication, server.requestCount > parts.attempts * (loads.count + 6) {
      violate(.requestPolicy, "\(loads.count) loads sent \(server.requestCount) requests")
    }
  }

  private func checkRequests() {
    if let closed, let late = server.records.last(where: { $0.began > closed + second }) {
      violate(
        .closedIsClosed,
        "a request to \(late.path) was sent \((late.began - closed) / millisecond) ms after the client was closed"
      )
    }
    for (path, values) in server.effects {
      for value in onceOnly where values.count(where: { $0 == value }) > 1 {
        violate(.takesEffectOnce, "write \(value) to \(path) took effect again")
      }
    }
    if let reserve = parts.reserve, !parts.hasOtherHost, counts.retries > reserve {
      violate(.requestPolicy, "\(counts.retries) retries, the budget has \(reserve)")
    }
    guard let rate = parts.rate, jumped == 0 else { return }
    for host in server.hosts {
      let times = server.records.filter { $0.host == host && $0.path != "/token" }.map(\.began)
      for (first, last) in zip(times, times.dropFirst(rate))
      where last - first < 950 * millisecond {
        return violate(
          .requestPolicy, "\(rate + 1) requests in \((last - first) / millisecond) ms to \(host)")
      }
    }
  }

  /// As many loads as the limit lets through, and bodies of the whole memory.
  private func checkRoom() {
    guard let client else { return }
    server.weather = .fine
    for load in loads { load.letGo() }
    let ended = Shared(0)
    let begun = sim_now()
    for number in 0..<parts.limit {
      load("/probe\(number)", with: client) { [self] result in
        ended.value += 1
        if case .failure(let error) = result {
          violate(
            parts.hasAuthentication ? .recovers : .everythingIsFree,
            "a load at the end failed: \((error as? LoadError)?.reason ?? "\(error)")")
        }
        if sim_now() - begun > 8 * second {
          violate(.everythingIsFree, "a load at the end took longer than 8 s")
        }
      }
    }
    run()
    if ended.value != parts.limit {
      violate(.everythingIsFree, "\(ended.value) of \(parts.limit) loads at the end ended")
    }
    for number in 0..<2 {
      load("/large\(number)p", with: client) { [self] result in
        if case .failure(let error as LoadError) = result, error.kind == .tooLarge {
          violate(.everythingIsFree, "memory is missing: \(error.reason)")
        }
      }
      run()
    }
  }

  private func load(
    _ path: String, with client: Client,
    _ body: @escaping @Sendable (Result<Document, any Error>) -> Void
  ) {
    let request = Request.get(RequestPath(path)).timeout(.seconds(10)).cachePolicy(.networkOnly)
    client.load(Resource<Document>(json: request), on: .default, callback: body)
  }

  private func letGo() {
    (client, cache, authentication) = (nil, nil, nil)
    run()
    if transport != nil { violate(.nothingLives, "the client's transport") }
  }
}

/// A stage that sometimes does something for two seconds, whether the load has ended or not.
private struct StubbornMiddleware: Middleware {
  func respond(to request: Request, next: Next) async throws -> Response {
    if chance(150) {
      await Task.detached { try? await SimulatedClock().sleep(for: .seconds(2)) }.value
    }
    return try await next(request)
  }
}
