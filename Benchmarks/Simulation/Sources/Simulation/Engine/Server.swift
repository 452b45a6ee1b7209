import CSimulation
import Foundation
import ResourceLoading

/// How bad a network is, in thousandths of the requests.
struct Weather {
  var loss = 0
  var reset = 0
  var stall = 0
  var errors = 0
  var retryAfter = 0
  var drip = 0
  var latency: Nanoseconds = 20 * millisecond

  static let fine = Weather(latency: millisecond)
}

extension Weather: CustomStringConvertible {
  var description: String {
    let parts = [
      (loss, "are lost"), (reset, "are cut"), (stall, "are never answered"),
      (errors, "get an error"), (drip, "are answered late"),
    ]
    let words = parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    return "one way takes \(latency / millisecond) ms on average"
      + (words.isEmpty ? "" : "; of 1,000 requests " + words.joined(separator: ", "))
  }
}

/// A server that knows what is true: versioned documents, users, tokens and the effects of writes.
class Server: @unchecked Sendable {
  struct Version {
    var number: Int
    var until: Nanoseconds = .max
  }

  /// One exchange: when it began, was answered, and ended at the client, and for whom.
  struct Record {
    var path: String
    var began: Nanoseconds
    var ended: Nanoseconds = .max
    /// When the last piece of the body was delivered.
    var lastPiece: Nanoseconds = 0
    var user = ""
    var host = ""
    /// How long the load is to wait before it sends again, as the server has asked.
    var wait: (load: String, time: Nanoseconds)?
  }

  unowned let world: World
  var weather = Weather()
  var maximumAge = 5
  var staleWhileRevalidate = 0
  var sendsDate = true

  private(set) var versions: [String: [Version]] = [:]
  var records: [Record] = []
  var running: [Int: SimulatedExchange] = [:] {
    didSet {
      noteFull(oldValue)
      noteRunning()
    }
  }
  private(set) var requestCount = 0
  /// Called when a request was sent, before the engine has returned from sending it.
  var onBegin: (() -> Void)?
  /// Called when an exchange has ended, with its path.
  var onEnd: ((String) -> Void)?

  // Users
  var needsToken = false
  var tokens: [String: (user: String, expiration: Nanoseconds)] = [:]
  private(set) var currentToken = ""
  private var issued: Nanoseconds = 0
  private var tokenCount = 0
  private var isRenewalDelivered = true

  /// When a load may send its next request, as the server has asked.
  private var earliest: [String: Nanoseconds] = [:]

  // Room
  /// The requests that one host may have under way.
  var room = Int.max
  /// The requests that may be under way to all hosts.
  var roomInAll = Int.max
  /// When all room of a host was last taken, and that of all hosts, whose name is empty here.
  private var lastFull: [String: Nanoseconds] = [:]

  // Writes
  /// The values of each path in the order in which they took effect.
  private(set) var effects: [String: [Int]] = [:]
  var honoursIdempotencyKeys = false
  private var answered: [String: Data] = [:]

  init(_ world: World) { self.world = world }

  private func noteRunning() {
    guard running.count > min(room, roomInAll) else { return }
    let counted = running.keys.filter {
      records[$0].path != "/token" && running[$0]?.isCancelled == false
    }
    if counted.count > roomInAll {
      world.violate(
        .withinLimit, "requests \(counted.sorted()) run at once, the limit is \(roomInAll)")
    }
    for (host, numbers) in Dictionary(grouping: counted, by: { records[$0].host })
    where numbers.count > room {
      world.violate(
        .withinLimit, "requests \(numbers.sorted()) to \(host) run at once, the limit is \(room)")
    }
  }

  /// Notes that there is no room, and that there was none until now.
  private func noteFull(_ before: [Int: SimulatedExchange]) {
    guard room != .max else { return }
    if max(running.count, before.count) >= roomInAll { lastFull[""] = sim_now() }
    for host in hosts {
      let counts = [running, before].map { $0.keys.count { records[$0].host == host } }
      if counts.contains(where: { $0 >= room }) { lastFull[host] = sim_now() }
    }
  }

  var hosts: [String] { ["host.example", "other.example"] }

  /// Returns how long there has been room for a request to a host; `nil` if there is none.
  func free(for host: String) -> Nanoseconds? {
    let count = running.keys.count { records[$0].host == host }
    guard count < room, running.count < roomInAll else { return nil }
    return sim_now() - max(lastFull[host] ?? 0, lastFull[""] ?? 0)
  }

  /// The most pieces in which a body arrives, and the mean time between them.
  func pace(of path: String) -> (pieces: Int, gap: Nanoseconds) { (3, millisecond) }

  /// How bad the network is for a request.
  func weather(for request: WireRequest) -> Weather { weather }

  /// Whether the engine takes a body that is cut for whole.
  func isCutUnnoticed(_ path: String) -> Bool { false }

  /// Returns the answer of a kind of server; `nil` for the usual one.
  func own(
    _ request: WireRequest, _ path: String, _ number: Int, _ headers: Headers
  ) -> (ResponseHead, Data)? { nil }

  /// What a server says while the body of a request arrives.
  struct Reply {
    var interim: ResponseHead?
    var answer: (ResponseHead, Data)?
  }

  /// Whether it stores the bodies of requests as they arrive.
  var readsBodies: Bool { false }

  /// The head of a request with a body has arrived.
  func open(_ request: WireRequest, _ number: Int) -> Reply { Reply() }

  /// A piece of a body has arrived.
  func receive(_ piece: Data, _ number: Int) -> Reply { Reply() }

  func answer(_ request: WireRequest, _ number: Int) -> (ResponseHead, Data) {
    usualAnswer(request, number)
  }

  func begin(_ request: WireRequest) -> Int {
    requestCount += 1
    var record = Record(path: request.url.path(percentEncoded: false), began: sim_now())
    record.host = request.url.host() ?? ""
    records.append(record)
    if let load = request.headers["X-Load"], let time = earliest[load], record.began < time {
      world.violate(
        .waitsAsAsked,
        "load \(load) sent a request \((time - record.began) / millisecond) ms too early")
    }
    return records.count - 1
  }

  /// Notes that a response has arrived as a whole, and whether anybody still waited for it.
  func ended(_ number: Int, isAwaited: Bool) {
    records[number].ended = sim_now()
    if isAwaited, let wait = records[number].wait { earliest[wait.load] = sim_now() + wait.time }
    if records[number].path == "/token" { isRenewalDelivered = true }
  }
}

// MARK: - Documents

extension Server {
  func version(of path: String) -> Int { versions[path]?.last?.number ?? 0 }

  func change(_ path: String) {
    var all = versions[path] ?? [Version(number: 0)]
    all[all.count - 1].until = sim_now()
    all.append(Version(number: all.count))
    versions[path] = all
    world.note("the server changes \(path) to version \(all.count - 1)")
  }

  /// When a version was replaced.
  func end(of version: Int, of path: String) -> Nanoseconds {
    versions[path].map { $0[version].until } ?? .max
  }

  fileprivate func usualAnswer(_ request: WireRequest, _ number: Int) -> (ResponseHead, Data) {
    let path = request.url.path(percentEncoded: false)
    var headers = Headers()
    if sendsDate {
      let date = Date(timeIntervalSince1970: 1_800_000_000 + Double(sim_now() / second))
      headers[.date] = "\(HTTPDate(date))"
    }
    if path == "/token" { return renew(request, number, headers) }
    var user = "-"
    if needsToken {
      let token = request.headers[.authorization].map { String($0.dropFirst("Bearer ".count)) }
      guard let holder = token.flatMap({ tokens[$0] }), holder.expiration > sim_now() else {
        headers[.wwwAuthenticate] = "Bearer error=\"invalid_token\""
        return (ResponseHead(status: .unauthorized, headers: headers), Data())
      }
      user = holder.user
    }
    records[number].user = user
    if let error = error(to: request, number, headers) { return error }
    if let answer = own(request, path, number, headers) { return answer }
    if request.method != .get { return write(request, path, headers) }
    return read(request, path, user, number, headers)
  }

  /// Returns an error that passes; `nil` for none.
  func error(
    to request: WireRequest, _ number: Int, _ headers: Headers = Headers()
  ) -> (ResponseHead, Data)? {
    guard chance(weather.errors) else { return nil }
    var headers = headers
    if chance(weather.retryAfter) {
      let seconds = pick(4)
      headers[.retryAfter] = "\(seconds)"
      if let load = request.headers["X-Load"] {
        records[number].wait = (load, Nanoseconds(seconds) * second)
      }
    }
    let status = pick(of: [500, 502, 503, 429] as [Status])
    return (ResponseHead(status: status, headers: headers), Data("sorry".utf8))
  }

  private func read(
    _ request: WireRequest, _ path: String, _ user: String, _ number: Int, _ headers: Headers
  ) -> (ResponseHead, Data) {
    var headers = headers
    let version = version(of: path)
    headers[.eTag] = "\"v\(version)\""
    let extra = staleWhileRevalidate > 0 ? ", stale-while-revalidate=\(staleWhileRevalidate)" : ""
    headers[.cacheControl] = "max-age=\(maximumAge)\(extra)"
    headers[.contentType] = "application/json"
    if request.headers[.ifNoneMatch]?.contains("\"v\(version)\"") == true {
      return (ResponseHead(status: .notModified, headers: headers), Data())
    }
    let size = path.hasPrefix("/large") ? 70_000 + pick(60_000) : pick(300)
    let document = Document(path: path, user: user, version: version, exchange: number)
    return (ResponseHead(status: .ok, headers: headers), document.json(padding: size))
  }
}

// MARK: - Users and writes

extension Server {
  func issue(_ user: String, lifetime: Nanoseconds) -> String {
    tokenCount += 1
    let token = "t-\(user)-\(tokenCount)"
    tokens[token] = (user, sim_now() + lifetime)
    (currentToken, issued) = (token, sim_now())
    return token
  }

  private func renew(
    _ request: WireRequest, _ number: Int, _ headers: Headers
  ) -> (ResponseHead, Data) {
    if isRenewalDelivered, let current = tokens[currentToken],
      current.expiration - sim_now() > 20 * second, records[number].began > issued
    {
      world.violate(.renewsOnce, "the token \(currentToken) is good for 20 s and more")
    }
    isRenewalDelivered = false
    let user = request.headers["X-User"] ?? "a"
    let (before, since) = (currentToken, issued)
    let token = issue(user, lifetime: Nanoseconds(20 + pick(60)) * second)
    // The client drops one that it had asked for before somebody signed in.
    if records[number].began < since { (currentToken, issued) = (before, since) }
    let json = "{\"token\":\"\(token)\",\"user\":\"\(user)\"}"
    return (ResponseHead(status: .ok, headers: headers), Data(json.utf8))
  }

  private func write(
    _ request: WireRequest, _ path: String, _ headers: Headers
  ) -> (ResponseHead, Data) {
    (ResponseHead(status: .ok, headers: headers), write(request, path))
  }

  /// Lets a write take effect, and returns the body of its answer.
  func write(_ request: WireRequest, _ path: String) -> Data {
    let key = request.headers["Idempotency-Key"] ?? ""
    if honoursIdempotencyKeys, let body = answered[key] { return body }
    effects[path, default: []].append(Int(request.headers["X-Value"] ?? "") ?? -1)
    change(path)
    let document = Document(path: path, user: "-", version: version(of: path), exchange: 0)
    let body = document.json(padding: 0)
    if honoursIdempotencyKeys { answered[key] = body }
    return body
  }
}

/// What the server answers.
struct Document: Codable, Equatable {
  var path: String
  var user: String
  var version: Int
  /// The number of the exchange that made it.
  var exchange: Int

  func json(padding: Int) -> Data {
    let members = """
      {"path":"\(path)","user":"\(user)","version":\(version),"exchange":\(exchange),"padding":"
      """
    let letters = Data(repeating: UInt8(ascii: "x"), count: padding)
    return Data(members.utf8) + letters + Data("\"}".utf8)
  }
}
