import Foundation
import ResourceJSON
import ResourceLoading

/// What a page shows: loads, totals and hosts.
struct InspectorReport: Encodable, Sendable {
  /// The number of the last change.
  var change: Int
  /// The number of the oldest load that is kept.
  var oldest: Int
  /// The number of loads that changed and were left out.
  var omitted: Int
  /// The number of loads so far that came too fast to be recorded.
  var unrecorded: Int
  /// The time since the creation of the inspector, in milliseconds.
  var now: Double
  var loads: [LoadReport]
  var totals: Totals
  var hosts: [Host]

  struct Totals: Encodable, Sendable {
    var begun: Int
    var running: Int
    var succeeded: Int
    var failed: Int
    var cancelled: Int
    var requests: Int
    var retries: Int
    var coalesced: Int
    var fromCache: Int
    var revalidated: Int
    var stale: Int
    var bytes: Int
    var failures: [Failure]
  }

  struct Failure: Encodable, Sendable {
    var kind: String
    var count: Int
  }

  /// The latencies of the loads of a host, in milliseconds.
  struct Host: Encodable, Sendable {
    var host: String
    var loads: Int
    var failed: Int
    var median: Double
    var p90: Double
    var p99: Double
    var maximum: Double
  }
}

extension InspectorReport {
  /// Describes what has changed in a log.
  init(_ log: LoadLog, since change: Int = 0, atMost limit: Int = .max, hasDetails: Bool = false) {
    let changes = log.changes(since: change, atMost: limit)
    self.init(changes, changes.records, of: log, hasDetails: hasDetails)
  }

  /// Describes some loads.
  init(_ log: LoadLog, ids: Set<Int>, hasDetails: Bool) {
    self.init(log.changes(atMost: 0), log.records(ids), of: log, hasDetails: hasDetails)
    omitted = 0
  }

  private init(
    _ changes: LoadLog.Changes, _ records: [LoadRecord], of log: LoadLog, hasDetails: Bool
  ) {
    change = changes.change
    oldest = changes.oldest
    omitted = changes.omitted
    unrecorded = changes.unrecorded
    now = changes.now.milliseconds
    loads = records.map {
      LoadReport($0, of: log, clients: changes.clients, hasDetails: hasDetails)
    }
    totals = Totals(changes.totals)
    hosts = changes.totals.hosts.sorted { $0.key < $1.key }.map(Host.init)
  }

  /// The report as JSON.
  func json() throws -> Data { try JSONWriter.inspector.encode(self) }
}

extension InspectorReport.Totals {
  fileprivate init(_ totals: LoadTotals) {
    self.init(
      begun: totals.begun, running: totals.running, succeeded: totals.succeeded,
      failed: totals.failed, cancelled: totals.cancelled, requests: totals.requests,
      retries: totals.retries, coalesced: totals.coalesced, fromCache: totals.fromCache,
      revalidated: totals.revalidated, stale: totals.stale, bytes: totals.bytes,
      failures: totals.failures.sorted { $0.key.rawValue < $1.key.rawValue }.map {
        InspectorReport.Failure(kind: $0.key.rawValue, count: $0.value)
      })
  }
}

extension InspectorReport.Host {
  fileprivate init(_ host: String, _ totals: HostTotals) {
    func time(_ share: Double) -> Double { totals.latencies.percentile(share)?.milliseconds ?? 0 }
    self.init(
      host: host, loads: totals.latencies.count, failed: totals.failed, median: time(0.5),
      p90: time(0.9), p99: time(0.99), maximum: totals.latencies.maximum.milliseconds)
  }
}

extension JSONWriter {
  /// Writes what the page and other programs read.
  static let inspector: JSONWriter = {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    return JSONWriter(encoder)
  }()
}
