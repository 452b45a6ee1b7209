import CSimulation
import Foundation
import ResourceLoading

/// The loads of a service, each with the deadline of the request that it handles: a backend with a
/// long tail of latencies, an outage, a crowd, and a shutdown.
final class ServiceWorld: World, @unchecked Sendable {
  /// What the client is made of, in the order of the article "In a service".
  struct Parts {
    var hasCoalescing = chance(300)
    var attempts = 1 + pick(3)
    var hasHedging = chance(700)
    var extraRequests = pick(of: [0.05, 0.2, 1])
    var hasServerLimit = chance(400)
    var hasLimit = chance(600)
    var fewest = 1 + pick(3)
    var more = pick(6)
    var hasBreaker = chance(600)
    var hasDeadlineHeader = chance(700)
    /// How many loads of a thousand only read.
    var reads = pick(of: [850, 850, 300])
    /// The methods of the others.
    var writes: [Request.Method] = pick(of: [[.put], [.post], [.put, .post, .delete]])

    var most: Int { fewest + more }
  }

  static let pause = second
  /// Many tasks that are ready at one moment run one after the other for up to this time.
  static let moment = 20 * millisecond

  private(set) lazy var server = ServiceServer(self)
  let parts = Parts()
  private let events = ServiceEvents()
  private(set) var client: Client?
  private weak var transport: SimulatedTransport?
  private var loads: [ServiceLoad] = []
  private var span: Nanoseconds = 0
  /// The responses in a row that said the server was too busy.
  private var overloads = 0
  private var drain: Drain?

  private struct Drain {
    var began: Nanoseconds
    var limit: Nanoseconds
    var ended: Nanoseconds?
  }

  override func play() {
    prepare()
    planEvents()
    run()
    check()
    if drain == nil { checkRoom() }
    letGo()
  }
}

extension ServiceWorld {
  private func prepare() {
    server.weather = Weather(
      loss: pick(of: [0, 20, 100]), reset: pick(of: [0, 20, 100]), stall: pick(of: [0, 10, 50]),
      drip: pick(of: [0, 50, 200]), latency: pick(of: [5, 50, 200]) * millisecond)
    if parts.hasServerLimit {
      server.quota = 5 + pick(30)
      server.announcesByOlderFields = chance(500)
    }
    if parts.hasLimit { server.room = parts.most }
    span = Nanoseconds(10 + pick(50)) * second
    server.onRequest = { [self] in checkRequest($0) }
    server.onResponse = { [self] in noteResponse($0, $1) }
    events.onProbe = { [self] in checkProbe() }
    let transport = SimulatedTransport(server)
    self.transport = transport
    let middleware = middleware()
    client = Client(baseURL: URL(string: "https://host.example")) {
      $0.transport = transport
      $0.clock = SimulatedClock()
      $0.middleware = middleware
      $0.maximumRequestsPerHost = nil
      $0.observer = { [events] in events.note($0) }
    }
    note("the client has \(parts)")
    note("the network: \(server.weather)")
  }

  private func middleware() -> [any Middleware] {
    var middleware: [any Middleware] = []
    if parts.hasCoalescing { middleware.append(CoalescingMiddleware()) }
    if parts.attempts > 1 {
      let backoff = Backoff(base: .milliseconds(100), maximum: .seconds(2))
      middleware.append(
        RetryMiddleware(RetryPolicy(maximumAttempts: parts.attempts, backoff: backoff)))
    }
    if parts.hasHedging {
      middleware.append(HedgingMiddleware(extraRequests: parts.extraRequests))
    }
    if parts.hasServerLimit { middleware.append(ServerRateLimitMiddleware()) }
    if parts.hasLimit {
      middleware.append(
        ConcurrencyLimitMiddleware(adaptingRequestsPerHost: parts.fewest...parts.most))
    }
    if parts.hasBreaker {
      middleware.append(
        CircuitBreakerMiddleware {
          $0.minimumRequests = 5
          $0.pause = .nanoseconds(Self.pause)
          $0.maximumPause = .seconds(8)
        })
    }
    if parts.hasDeadlineHeader { middleware.append(DeadlineMiddleware("X-Time-Left")) }
    return middleware
  }

  private func planEvents() {
    for _ in 0..<(60 + pick(140)) { plan(at: moment(below: span)) { [self] in begin() } }
    if chance(600) {
      let statuses = pick(of: [[.serviceUnavailable], [500, 502, 503, 504]] as [[Status]])
      let first = moment(below: span)
      plan(at: first) { [self] in
        note("the outage begins")
        server.outage = statuses
      }
      plan(at: first + Nanoseconds(1 + pick(20)) * second) { [self] in
        note("the outage ends")
        server.outage = []
      }
      if chance(500) {
        for _ in 0..<60 {
          plan(at: first + Nanoseconds(pick(5000)) * millisecond) { [self] in begin() }
        }
      }
    }
    if chance(400) {
      let crowd = moment(below: span)
      for _ in 0..<40 { plan(at: crowd) { [self] in begin() } }
    }
    if chance(150) {
      plan(at: moment(below: span)) { [self] in
        note("all loads are cancelled")
        for load in loads where load.isOpen {
          load.mayBeCancelled = true
          if load.begun + Self.moment < sim_now() { load.cancelled = sim_now() }
        }
        client?.cancelAll()
      }
    }
    if chance(350) { plan(at: moment(below: span)) { [self] in beginDraining() } }
  }

  private func begin() {
    guard let client else { return }
    let method = chance(parts.reads) ? Request.Method.get : pick(of: parts.writes)
    let load = ServiceLoad(number: loads.count, method: method)
    loads.append(load)
    let time = load.deadline.map { "\($0 / millisecond)" } ?? "all"
    note("load \(load.number), \(method), \(load.timeout / millisecond) of \(time) ms")
    load.begin(with: client, isNumbered: !parts.hasCoalescing) { [self] in check(load, $0) }
    guard chance(100) else { return }
    after(latency(300 * millisecond)) { [self] in
      guard load.isOpen else { return }
      load.cancelled = sim_now()
      note("load \(load.number) is cancelled")
      load.cancel()
    }
  }

  private func beginDraining() {
    guard let client, drain == nil else { return }
    let limit = pick(of: [1, 5, 40]) * second
    note("the client is drained within \(limit / second) s")
    drain = Drain(began: sim_now(), limit: limit)
    Task { [self] in
      let cut = await client.drain(within: .nanoseconds(limit))
      drain?.ended = sim_now()
      note("the client is drained, and \(cut) loads were cut off")
      checkDrain(cut)
    }
  }
}

// MARK: - Requests

extension ServiceWorld {
  private var running: [SimulatedExchange] { server.running.values.filter { !$0.isCancelled } }

  private func load(_ number: Int?) -> ServiceLoad? {
    number.flatMap { loads.indices.contains($0) ? loads[$0] : nil }
  }

  private func checkRequest(_ request: WireRequest) {
    let now = sim_now()
    if let ended = drain?.ended, now > ended + Self.moment {
      violate(
        .closedIsClosed, "a request was sent \((now - ended) / millisecond) ms after the drain")
    }
    if let load = load(request.headers["X-Load"].flatMap { Int($0) }) { check(load, request) }
    checkCircuit()
    // The limit has reached its lower bound long before.
    if parts.hasLimit, overloads >= 40, running.count + 1 > parts.fewest {
      violate(
        .withinLimit,
        "\(running.count + 1) requests run after \(overloads) overloads, the limit is \(parts.fewest)"
      )
    }
    // A limit behind it lets wait what was let through before.
    if !parts.hasLimit, let heard = server.heard, heard.remaining == 0,
      now > heard.since + Self.moment, now < heard.end - Self.moment
    {
      violate(
        .waitsAsAsked,
        "a request was sent \((heard.end - now) / millisecond) ms before the next window")
    }
  }

  private func check(_ load: ServiceLoad, _ request: WireRequest) {
    let now = sim_now()
    load.requests += 1
    let others = running.filter { $0.load == load.number }.map(\.number)
    if others.count > (load.hasEffects || !parts.hasHedging ? 0 : 1) {
      violate(
        .hedgesOnlyReads,
        "a request of load \(load.number), \(load.method), is sent beside \(others)")
    }
    let most = parts.attempts * (load.hasEffects || !parts.hasHedging ? 1 : 2)
    if load.requests > most {
      violate(.requestPolicy, "load \(load.number) sent \(load.requests) requests of \(most)")
    }
    if now > load.limit + Self.moment {
      violate(.endsInTime, "load \(load.number) sends a request after its deadline")
    }
    guard parts.hasDeadlineHeader else { return }
    let left = request.headers["X-Time-Left"].flatMap { Int64($0) } ?? -1
    if abs(left * millisecond - (load.limit - now)) > Self.moment {
      violate(
        .tellsDeadline,
        "load \(load.number) says \(left) ms, and has \((load.limit - now) / millisecond) ms")
    }
  }

  /// What was let through before the circuit opened is sent at that moment at the latest.
  private func checkCircuit() {
    guard parts.hasBreaker, events.circuit == .open, sim_now() > events.changed + Self.moment else {
      return
    }
    events.probes -= 1
    if events.probes < 0 { violate(.probesOnly, "a request was sent while the circuit was open") }
  }

  private func checkProbe() {
    if sim_now() < events.changed + Self.pause - Self.moment {
      violate(
        .probesOnly, "a probe began \((sim_now() - events.changed) / millisecond) ms after opening")
    }
  }

  private func noteResponse(_ number: Int?, _ status: Status) {
    overloads = [.tooManyRequests, .serviceUnavailable].contains(status) ? overloads + 1 : 0
    guard status == .ok, let load = load(number) else { return }
    load.answered = load.answered ?? sim_now()
  }
}

// MARK: - Loads

extension ServiceWorld {
  private var slack: Nanoseconds { 300 * millisecond }

  private func check(_ load: ServiceLoad, _ outcome: Result<Document, any Error>) {
    let now = sim_now()
    load.endings += 1
    load.ended = now
    if load.endings > 1 { violate(.endsOnce, "load \(load.number) ended again") }
    let end = min(load.limit, load.cancelled ?? .max, load.answered ?? .max)
    if now > end + slack {
      violate(.endsInTime, "load \(load.number) ended \((now - end) / millisecond) ms too late")
    }
    switch outcome {
    case .success: note("load \(load.number) ends")
    case .failure(let error): check(load, error)
    }
    after(slack) { [self] in
      let left = running.filter { $0.load == load.number }.map(\.number)
      if !left.isEmpty { violate(.nothingRuns, "requests \(left) run for load \(load.number)") }
    }
  }

  private func check(_ load: ServiceLoad, _ error: any Error) {
    note("load \(load.number) fails: \((error as? LoadError)?.reason ?? "\(error)")")
    if error is CancellationError, load.cancelled == nil, !load.mayBeCancelled {
      violate(.ownLimits, "load \(load.number) ended as cancelled, which it wasn't")
    }
    guard (error as? LoadError)?.kind == .closed else { return }
    guard let drain else {
      return violate(.ownLimits, "load \(load.number) ended as of a closed client")
    }
    if load.begun < drain.began - Self.moment, sim_now() < drain.began + drain.limit - Self.moment {
      violate(.ownLimits, "load \(load.number) was cut off before the limit of the drain")
    }
  }

  private func checkDrain(_ cut: Int) {
    guard let drain, let ended = drain.ended else { return }
    let last = loads.filter { !$0.isOpen && $0.begun <= drain.began }.map(\.ended).max() ?? 0
    after(slack) { [self] in
      let open = loads.filter { $0.isOpen && $0.begun < ended }.map(\.number)
      if !open.isEmpty { violate(.endsInTime, "loads \(open) outlive the drain") }
      if !running.isEmpty { violate(.nothingRuns, "requests run after the drain") }
    }
    if ended > drain.began + drain.limit + slack {
      violate(.endsInTime, "the drain took longer than its limit")
    }
    let isWaiting = loads.contains { $0.isOpen && $0.begun <= drain.began }
    if cut == 0, !isWaiting, ended > max(last, drain.began) + slack {
      violate(.endsInTime, "the drain waited although all loads had ended")
    }
  }
}

// MARK: - End

extension ServiceWorld {
  private func check() {
    for load in loads where load.isOpen { violate(.endsOnce, "load \(load.number) never ended") }
    if let drain {
      if drain.ended == nil { violate(.endsInTime, "the drain never ended") }
      for load in loads where load.begun > drain.began + Self.moment && load.requests > 0 {
        violate(.closedIsClosed, "load \(load.number) began while the client was drained")
      }
    }
    let budget = parts.extraRequests * Double(loads.count + events.retries)
    if Double(events.hedged.count) > budget {
      violate(.requestPolicy, "\(events.hedged.count) second requests, the budget has \(budget)")
    }
    if events.hedged.contains(where: events.writes.contains) {
      violate(.hedgesOnlyReads, "a write was hedged")
    }
    for load in loads where load.method == .post {
      let effects = server.effects.values.joined().count { $0 == load.number }
      if effects > 1 { violate(.takesEffectOnce, "the write of load \(load.number)") }
    }
  }

  /// After the outage, the pauses and the windows, a probe and as many loads as the limit lets
  /// through.
  private func checkRoom() {
    server.weather = .fine
    (server.outage, server.quota) = ([], nil)
    (server.onRequest, server.onResponse, overloads) = (nil, nil, 0)
    for load in loads { load.letGo() }
    sim_advance(130 * second)
    for count in [1, parts.most] {
      let ended = Shared(0)
      for _ in 0..<count {
        let request = Request.get("/probe").timeout(.seconds(20)).headers(["X-Load": "\(Int.max)"])
        client?.load(Resource<Document>(json: request), on: .default) { [self] result in
          ended.value += 1
          if case .failure(let error) = result {
            violate(.everythingIsFree, "a load at the end failed: \(error)")
          }
        }
      }
      run()
      if ended.value != count {
        violate(.everythingIsFree, "\(ended.value) of \(count) loads ended")
      }
    }
  }

  private func letGo() {
    (server.onRequest, server.onResponse, events.onProbe) = (nil, nil, nil)
    client = nil
    for load in loads { load.letGo() }
    run()
    if transport != nil { violate(.nothingLives, "the client's transport") }
  }
}
