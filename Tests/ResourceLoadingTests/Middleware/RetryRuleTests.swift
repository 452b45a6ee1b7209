import Foundation
import PromiseModule
import ResourceTesting
import TestSupport
import Testing

@testable import ResourceLoading

@Suite(.inTurn)
struct RetryRuleTests {
  private let date = Date(timeIntervalSince1970: 784_111_777)  // Sun, 06 Nov 1994 08:49:37 GMT
  private let request = Request(url: URL(string: "https://example.org/")!)

  private func wait(
    _ outcome: Result<Response, any Error>, failures: Int = 1, elapsed: Duration = .zero,
    remaining: Duration? = nil, policy: RetryPolicy = RetryPolicy(backoff: .none)
  ) -> Duration? {
    let rule = RetryRule(
      policy: policy, statuses: RetryMiddleware.transientStatuses, maximumRetryAfter: .seconds(60))
    var generator = SeededGenerator(seed: 1)
    let decision = rule.decide(
      after: outcome, of: request,
      at: .init(failures: failures, elapsed: elapsed, remaining: remaining, date: date),
      using: &generator)
    guard case .retry(let wait, _) = decision else { return nil }
    return wait
  }

  private func response(_ status: Status, _ headers: Headers = [:]) -> Result<Response, any Error> {
    .success(Response(url: request.url, status: status, headers: headers))
  }

  @Test func `the budgets of a limited number of origins are kept`() throws {
    func url(_ number: Int) throws -> URL {
      try #require(URL(string: "https://host\(number).example/"))
    }
    let budgets = RetryBudgets(RetryMiddleware.Budget(reserve: 2))
    for _ in 1...2 { #expect(try budgets.spend(for: url(0))) }

    for number in 1...RetryBudgets.maximumCount { #expect(try budgets.spend(for: url(number))) }

    #expect(budgets.originCount == RetryBudgets.maximumCount)
    #expect(try !budgets.spend(for: url(0)))
  }

  @Test(arguments: [
    (200, false), (301, false), (400, false), (401, false), (403, false), (404, false),
    (408, true), (409, false), (425, true), (429, true), (500, true), (501, false), (502, true),
    (503, true), (504, true), (505, false),
  ])
  func `statuses of temporary failures`(_ status: Int, _ passes: Bool) {
    #expect((wait(response(Status(rawValue: status))) != nil) == passes)
  }

  @Test(arguments: [
    (LoadError.Kind.connection, true), (.timedOut, true), (.secureConnection, false),
    (.invalidRequest, false), (.redirect, false), (.tooLarge, false), (.parsing, false),
    (.authentication, false), (.closed, false), (.middleware, false), (.store, false),
  ])
  func `kinds of temporary errors`(_ kind: LoadError.Kind, _ passes: Bool) {
    #expect((wait(.failure(LoadError(kind, "x"))) != nil) == passes)
  }

  @Test func `a cancellation is final`() {
    #expect(wait(.failure(CancellationError())) == nil)
  }

  @Test(
    arguments: [
      ("GET", nil, true), ("HEAD", nil, true), ("PUT", nil, true), ("DELETE", nil, true),
      ("OPTIONS", nil, true), ("QUERY", nil, true), ("TRACE", nil, true), ("POST", nil, false),
      ("PATCH", nil, false),
      ("get", nil, false), ("PURGE", nil, false), ("POST", true, true), ("GET", false, false),
    ] as [(String, Bool?, Bool)])
  func `methods that may be repeated`(_ method: String, _ told: Bool?, _ repeats: Bool) {
    let rule = RetryRule(policy: RetryPolicy(), statuses: [], maximumRetryAfter: .zero)
    var request = request
    request.method = Request.Method(rawValue: method)
    request.options.isIdempotent = told

    #expect(rule.canRepeat(request) == repeats)
  }

  @Test func `a POST with an idempotency key may be repeated`() {
    let rule = RetryRule(policy: RetryPolicy(), statuses: [], maximumRetryAfter: .zero)
    var request = request
    request.method = .post
    request.headers[.idempotencyKey] = "1"

    #expect(rule.canRepeat(request))
  }

  @Test(
    arguments: [
      ("3", 3.0), (" 3 ", 3), ("0", 0), ("-1", nil), ("+3", nil), ("3.5", 3.5), ("3 s", nil),
      ("", nil), ("3, 60", 3), ("3.5.1", nil), ("1e3", nil), (".5", nil),
      ("soon", nil), ("0x10", nil), ("٣", nil),
      ("99999999999999999999999", 3_153_600_000), ("18446744073709551617", 3_153_600_000),
      ("Sun, 06 Nov 1994 08:49:40 GMT", 3), ("Sunday, 06-Nov-94 08:49:40 GMT", 3),
      ("Sun Nov  6 08:49:40 1994", 3), ("Sun, 06 Nov 1994 08:49:37 GMT", 0),
      ("Sat, 05 Nov 1994 08:49:37 GMT", 0), ("Sun, 06 Nov 1994", nil),
      ("Sun, 31 Feb 1994 08:49:37 GMT", nil),
    ] as [(String, Double?)])
  func `Retry-After in all its forms`(_ text: String, _ seconds: Double?) {
    #expect(
      RetryAfter.duration(in: [.retryAfter: text], at: date) == seconds.map { Duration.seconds($0) }
    )
  }

  @Test func `a date is measured against the server's own clock`() {
    let headers: Headers = [
      .retryAfter: "Thu, 01 Jan 2026 00:00:05 GMT", .date: "Thu, 01 Jan 2026 00:00:00 GMT",
    ]

    #expect(RetryAfter.duration(in: headers, at: date) == .seconds(5))
  }

  @Test func `the wait is at least what the server requests`() {
    let policy = RetryPolicy(backoff: Backoff(base: .seconds(4), jitter: .none))

    #expect(wait(response(503, [.retryAfter: "2"]), policy: policy) == .seconds(4))
    #expect(wait(response(503, [.retryAfter: "7"]), policy: policy) == .seconds(7))
    #expect(wait(response(503, [.retryAfter: "rubbish"]), policy: policy) == .seconds(4))
    #expect(wait(response(503, [.retryAfter: "61"]), policy: policy) == nil)
  }

  @Test func `no attempt begins after the end of the load's time`() {
    #expect(wait(response(503, [.retryAfter: "9"]), remaining: .seconds(10)) == .seconds(9))
    #expect(wait(response(503, [.retryAfter: "10"]), remaining: .seconds(10)) == nil)
    #expect(wait(response(503), remaining: .zero) == nil)
    let policy = RetryPolicy(backoff: .none, maximumTime: .seconds(5))
    #expect(wait(response(503, [.retryAfter: "3"]), elapsed: .seconds(1), policy: policy) != nil)
    #expect(wait(response(503, [.retryAfter: "3"]), elapsed: .seconds(2), policy: policy) == nil)
  }

  @Test func `the number of attempts is limited`() {
    let policy = RetryPolicy(maximumAttempts: 3, backoff: .none)

    #expect(wait(response(503), failures: 2, policy: policy) != nil)
    #expect(wait(response(503), failures: 3, policy: policy) == nil)
  }

  @Test func `the caller can decide which errors are temporary`() {
    let policy = RetryPolicy(backoff: .none) { ($0 as? LoadError)?.kind == .status }

    #expect(wait(response(503), policy: policy) != nil)
    #expect(wait(.failure(LoadError(.connection, "x")), policy: policy) == nil)
  }
}
