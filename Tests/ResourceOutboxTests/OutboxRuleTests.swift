import Foundation
import PromiseModule
import ResourceStore
import ResourceTesting
import StoreTestSupport
import Testing

@testable import ResourceLoading
@testable import ResourceOutbox

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The state machine, without a database and a network.
struct OutboxRuleTests {
  private let rule = OutboxRule(
    retry: RetryRule(
      policy: RetryPolicy(
        maximumAttempts: 5, backoff: Backoff(base: .seconds(1), maximum: .seconds(8), jitter: .none)
      ),
      statuses: RetryMiddleware.transientStatuses, maximumRetryAfter: .seconds(100)))

  private func step(
    _ error: any Error, attempts: Int = 1, mayRepeat: Bool = true, hasBegun: Bool = false
  ) -> String {
    var generator = SeededGenerator(seed: 1)
    let date = Date(timeIntervalSinceReferenceDate: 0)
    let entry = OutboxEntry(
      id: UUID(), key: "a", method: .post, target: "a", state: .sending, isPaused: false,
      isBlocked: false, attempts: attempts, added: date - 5, due: date, error: nil, payload: nil,
      kind: nil, number: 1, hasBegun: false, mayRepeat: mayRepeat, isDamaged: false)
    return
      switch rule.step(
        after: .failure(error), of: entry, isSafe: hasBegun, hasBegun: hasBegun, at: date,
        using: &generator)
    {
    case .answered: "answered"
    case .wait(let wait, let error): error == nil ? "release" : "wait \(wait.components.seconds)"
    case .park: "park"
    case .uncertain: "uncertain"
    }
  }

  private func status(_ status: Status, retryAfter: String? = nil) -> LoadError {
    var error = LoadError(.status, "the server answered \(status)")
    var headers = Headers()
    headers[.retryAfter] = retryAfter
    error.response = .init(url: "", status: status, headers: headers, body: Data(), bodySize: 0)
    return error
  }

  @Test(arguments: [
    (500, "wait 1", "uncertain"), (502, "wait 1", "uncertain"), (504, "wait 1", "uncertain"),
    (503, "wait 1", "wait 1"), (429, "wait 1", "wait 1"), (425, "wait 1", "wait 1"),
    (408, "wait 1", "wait 1"), (400, "park", "park"), (409, "park", "park"), (422, "park", "park"),
    (501, "park", "park"),
  ])
  func `after a status an entry waits, is parked or is uncertain`(
    code: Int, repeatable: String, other: String
  ) {
    #expect(step(status(Status(rawValue: code))) == repeatable)
    #expect(step(status(Status(rawValue: code)), mayRepeat: false) == other)
  }

  @Test(arguments: [409, 423, 460], [true, false])
  func `an upload that has begun waits while the server holds it for another request`(
    code: Int, mayRepeat: Bool
  ) {
    let error = status(Status(rawValue: code))

    #expect(step(error, mayRepeat: mayRepeat, hasBegun: true) == "wait 1")
    #expect(step(error, mayRepeat: mayRepeat) == "park")
    #expect(step(status(422), mayRepeat: mayRepeat, hasBegun: true) == "park")
  }

  @Test func `a request is repeated after a lost connection only if allowed or unsent`() {
    let lost = LoadError(.connection, "the connection was lost")
    let refused = LoadError(
      .connection, "the server can't be reached", underlying: URLError(.cannotConnectToHost))

    #expect(step(lost) == "wait 1")
    #expect(step(lost, mayRepeat: false) == "uncertain")
    #expect(step(refused, mayRepeat: false) == "wait 1")
    #expect(step(LoadError(.timedOut, "late"), mayRepeat: false) == "uncertain")
    #expect(step(LoadError(.secureConnection, "TLS failed"), mayRepeat: false) == "park")
  }

  @Test func `waits grow, respect the server, and end with the last attempt`() {
    #expect(
      (1...5).map { step(status(503), attempts: $0) } == [
        "wait 1", "wait 2", "wait 4", "wait 8", "park",
      ])
    #expect(step(status(429, retryAfter: "50")) == "wait 50")
    #expect(step(status(429, retryAfter: "101")) == "park")
  }

  @Test func `a load that this process cancelled isn't the server's failure`() {
    #expect(step(CancellationError()) == "wait 1")
    #expect(step(LoadError(.closed, "the client was closed")) == "release")
    #expect(step(LoadError(.closed, "the client was closed"), mayRepeat: false) == "uncertain")
  }

  @Test func `during an outage one attempt at a time begins, and after a response all`() {
    var throttle = OutboxThrottle(limit: 4)
    #expect(throttle.capacity(running: 1, at: .zero) == 3)

    throttle.failed(until: .seconds(10))

    #expect(throttle.capacity(running: 0, at: .seconds(9)) == 0)
    #expect(throttle.capacity(running: 0, at: .seconds(10)) == 1)
    #expect(throttle.capacity(running: 1, at: .seconds(10)) == 0)
    throttle.recover()
    #expect(throttle.capacity(running: 0, at: .zero) == 4)
  }

  @Test func `identities are in the order of time, and differ within a millisecond`() {
    let date = Date(timeIntervalSince1970: 1_645_557_742)

    let ids = (0..<1000).map { UUID(at: date + Double($0 / 10)).uuidString }

    #expect(ids[0].hasPrefix("017F22E2-79B0-7"))
    #expect(Set(ids).count == 1000)
    #expect(ids.allSatisfy { "89AB".contains($0.dropFirst(19).prefix(1)) })
    let times = ids.map { $0.prefix(13) }
    #expect(times == times.sorted())
  }

  @Test func `a stored error is read back unchanged`() {
    var error = status(422, retryAfter: "5")
    error.advice = "Try"
    error.curlCommand = "curl …"
    error.serverMessage = "too long"
    error.parsing = .init(path: "a.b", expectedType: "Int", line: 1, column: 2, snippet: "x")
    error.attempts = [.init(method: .post, url: "u", outcome: "422")]
    error.underlying = URLError(.timedOut)

    let read = LoadError(stored: error.stored)

    #expect(read.description == error.description)
    #expect(read.response == error.response && read.attempts == error.attempts)
    #expect(read.parsing == error.parsing && read.underlying != nil)
    #expect(LoadError(stored: Data("x".utf8)).kind == .outbox)
  }

  @Test func `stored options are read back unchanged`() throws {
    var options = Request.Options()
    options.timeout = .milliseconds(1500)
    options.attemptTimeout = .milliseconds(1250)
    options.idleTimeout = .seconds(2)
    options.minimumThroughput = .any
    options.acceptedStatuses = Request.AcceptedStatuses(200..<300).union([404, 409])
    options.maximumBodySize = 5
    options.redirects = .sameOrigin
    options.isIdempotent = true
    options.isAuthenticated = false
    options.cachePolicy = .staleWhileRevalidating
    options.priority = .high
    options.allowsCellularAccess = false
    options.allowsConstrainedNetworkAccess = true
    options.allowsExpensiveNetworkAccess = false
    options.secretNames = ["x"]
    options.crossOriginHeaders = ["X-A"]

    let data = try JSONEncoder().encode(StoredOptions(options, nil))
    let read = try JSONDecoder().decode(StoredOptions.self, from: data).options

    for code in 0..<1000 {
      let status = Status(rawValue: code)
      #expect(
        read.acceptedStatuses?.contains(status) == options.acceptedStatuses?.contains(status))
    }
    var (one, other) = (options, read)
    (one.acceptedStatuses, other.acceptedStatuses) = (nil, nil)
    #expect(one == other)
  }

  @Test(arguments: [200..<Int.max, 400..<2000, 0..<1000, 0..<0])
  func `a range of accepted statuses may have any end`(_ range: Range<Int>) throws {
    var options = Request.Options()
    options.acceptedStatuses = Request.AcceptedStatuses(range)

    let data = try JSONEncoder().encode(StoredOptions(options, nil))
    let read = try JSONDecoder().decode(StoredOptions.self, from: data).options

    let codes = (0..<1000).filter {
      read.acceptedStatuses?.contains(Status(rawValue: $0)) == true
    }
    #expect(codes == (0..<1000).filter { range.contains($0) })
  }
}
