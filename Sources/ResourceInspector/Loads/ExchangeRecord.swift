import Foundation
import ResourceLoading

/// The record of one request on the wire. Times count from the beginning of the load.
struct ExchangeRecord: Sendable {
  let method: RequestMethod
  let url: URL
  let reason: Reason
  /// When the load began to wait for its turn; `nil` if it didn't wait.
  let queued: Duration?
  let sent: Duration
  var received: Duration?
  var status: Status?
  var metrics: ExchangeMetrics?
  /// The number of bytes of the decoded body.
  var bytes: Int?
  var ended: Duration?
  /// Whether it ended without a complete response.
  var hasFailed = false

  /// Why a request was sent.
  enum Reason: String, Sendable {
    case first
    case redirect
    case retry
    /// After a 401, or with a new credential.
    case authentication
    /// In the background, after the end of the load.
    case revalidation
    /// Another part of a download, or another request of a middleware.
    case further
  }

  init(
    _ method: RequestMethod, _ url: URL, for reason: Reason, queued: Duration?, sent: Duration
  ) {
    self.method = method
    self.url = url
    self.reason = reason
    self.queued = queued
    self.sent = sent
  }
}

extension ExchangeRecord {
  /// A part of the time of an exchange.
  struct Phase: Equatable, Sendable {
    let name: Name
    let start: Duration
    let end: Duration

    enum Name: String, Sendable { case queue, connect, tls, wait, body, parse }
  }

  /// The phases in order. They don't overlap, and those that took no time or aren't known are left
  /// out. The last one of an exchange that still runs ends at `now`.
  func phases(until now: Duration) -> [Phase] {
    var phases: [Phase] = []
    var place = queued ?? sent
    func add(_ name: Phase.Name, until end: Duration?) {
      guard let end, end > place else { return }
      phases.append(Phase(name: name, start: place, end: end))
      place = end
    }
    let end = ended ?? now
    func time(_ moment: Duration?) -> Duration? { moment.map { min(sent + $0, end) } }
    add(.queue, until: sent)
    add(.queue, until: time(metrics?.began))
    add(.connect, until: time(metrics?.connected))
    add(.tls, until: time(metrics?.secured))
    add(.wait, until: time(metrics?.firstByte) ?? received ?? end)
    add(.body, until: end)
    return phases
  }
}
