import Foundation
import PromiseModule
import ResourceLoading
import ResourceStore
import ResourceTesting
import StoreTestSupport
import Testing

@testable import ResourceOutbox

/// Durations and dates beyond all reason.
@Suite(.timeLimit(.minutes(15)))
struct OutboxDurationTests {
  private static let durations: [Duration] = [
    .seconds(Int64.max), .seconds(Int64.max) * 8, .zero, .seconds(-5), .seconds(Int64.min),
  ]

  typealias Setting = @Sendable (inout OutboxSettings, Duration) -> Void
  private static let settings: [String: Setting] = [
    "base": { $0.retry.backoff.base = $1 }, "cap": { $0.retry.backoff.maximum = $1 },
    "both": { $0.retry.backoff = Backoff(base: $1, maximum: $1) },
    "maximumTime": { $0.retry.maximumTime = $1 },
    "maximumRetryAfter": { $0.maximumRetryAfter = $1 },
    "maximumAge": { $0.maximumAge = $1 }, "placeholderLifetime": { $0.placeholderLifetime = $1 },
    "checkInterval": { $0.checkInterval = $1 },
  ]

  @Test(arguments: settings.keys.sorted(), durations)
  func `no duration of an outbox crashes the process or stops it`(
    name: String, duration: Duration
  ) async throws {
    var fixture = try OutboxFixture()
    Self.settings[name]?(&fixture.settings, duration)
    let gate = Gate()
    fixture.transport.stub(
      "*", .status(503), .response(status: 503, headers: [.retryAfter: "99999999999999999999"]),
      .json("{}"))
    fixture.clock.advance(by: .seconds(5))
    let (store, outbox) = try await fixture.open()
    let receipt = try await outbox.add(.put("/a"), as: "a") {
      $0.request.options.timeout = duration
      $0.request.options.attemptTimeout = duration
      $0.request.options.idleTimeout = duration
    }
    let time = Task { [clock = fixture.clock] in
      while !Task.isCancelled {
        try await clock.waitForSleepers(count: 1, within: .seconds(3600))
        clock.advance(by: .seconds(3600))
      }
    }

    // It is answered, given up, parked, or waits for the requested time.
    try await outbox.wait { entries in
      entries.first.map { $0.state == .parked || $0.attempts > 0 && $0.state == .waiting } ?? true
    }

    time.cancel()
    gate.open()
    _ = try await outbox.currentEntries()
    await outbox.close()
    _ = try? await receipt.answer()
    let (next, again) = try await fixture.open()
    _ = try await again.count()
    await again.close()
    await store.close()
    await next.close()
  }

  @Test(arguments: durations)
  func `no duration of a store crashes the process or stops it`(duration: Duration) async throws {
    let database = try Database()
    var settings = SQLiteSettings()
    settings.busyTimeout = duration
    settings.otherProcessesInterval = duration
    let store = try await database.open(settings)
    var updates = store.updates(of: Item.self).makeAsyncIterator()
    _ = try await updates.next()
    try await store.insert(Item.numbered(1))
    #expect(try await updates.next()?.count == 1)
    await store.close()
  }
}
