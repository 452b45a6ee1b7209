import Foundation
import ResourceLoading
import ResourcePrimitives

/// A load as it is shown, without secrets. Times are milliseconds.
struct LoadReport: Encodable, Sendable {
  var id: Int
  /// The name of the client; `nil` if it has none.
  var client: String?
  /// The number of the load within its client.
  var number: UInt64
  var method: String
  var url: String
  var host: String
  /// The path and the query.
  var target: String
  var state: State
  var status: Int?
  /// The kind of the failure, such as `timedOut`.
  var failure: String?
  /// The failure in a line.
  var reason: String?
  /// Where the response came from, if not from the network: `cache`, `revalidated` or `stale`.
  var source: String?
  var isCoalesced: Bool
  /// The load whose exchange this one shared, if that is kept.
  var sharedLoad: Int?
  var bytes: Int?
  /// The time from the creation of the inspector to the beginning of the load.
  var start: Double
  /// `nil` while the load runs.
  var duration: Double?
  var exchanges: [Exchange]
  /// Phases outside of the exchanges.
  var phases: [Phase]
  /// What is shown when the load is selected.
  var details: Details?

  enum State: String, Encodable, Sendable { case running, succeeded, failed, cancelled }

  /// A request on the wire. Times count from the beginning of the load.
  struct Exchange: Encodable, Sendable {
    var reason: String
    var method: String
    var url: String
    var status: Int?
    var hasFailed: Bool
    var bytes: Int?
    var start: Double
    /// `nil` while it runs.
    var duration: Double?
    var phases: [Phase]
    /// The protocol, the connection and the times that the server reports.
    var facts: [String]
  }

  struct Phase: Encodable, Sendable {
    var name: String
    var start: Double
    var end: Double
  }

  struct Details: Encodable, Sendable {
    var date: String
    var curl: String
    /// The failure in full.
    var error: String?
    var source: String?
    var trace: String?
    var remarks: [Remark]
    /// The number of exchanges and remarks that weren't recorded.
    var omitted: Int
  }

  struct Remark: Encodable, Sendable {
    var time: Double
    var text: String
  }
}

extension LoadReport {
  /// Describes a load.
  ///
  /// - Parameters:
  ///   - record: The load.
  ///   - log: The log that it is from.
  ///   - clients: The names of the clients.
  ///   - hasDetails: Whether ``details`` are included.
  init(_ record: LoadRecord, of log: LoadLog, clients: [String], hasDetails: Bool) {
    let text = ReportText(record)
    let now = log.now - record.start
    let client = clients.indices.contains(record.key.client) ? clients[record.key.client] : ""
    let url = text.url(record.request.url)
    let place = url.cut(atText: "://")?.behind ?? url[...]
    let pathStart = place.utf8.firstIndex { "/?#".utf8.contains($0) } ?? place.endIndex
    id = record.id
    self.client = client.isEmpty ? nil : text(client)
    number = record.key.load
    method = text(record.request.method.rawValue)
    self.url = url
    // Without the user info.
    host = place[..<pathStart].parts(between: "@").last.map(String.init) ?? ""
    target = String(place[pathStart...])
    state = .running
    status = record.status?.rawValue
    source = record.source.flatMap(\.name)
    isCoalesced = record.isCoalesced
    sharedLoad = record.sharedLoad.flatMap {
      log.id(of: LoadRecord.Key(client: record.key.client, load: $0))
    }
    bytes = record.exchanges.last { $0.bytes != nil }?.bytes
    start = record.start.milliseconds
    duration = record.end?.time.milliseconds
    exchanges = record.exchanges.map { Exchange($0, text, until: now) }
    phases = record.waiting(until: now).map(Phase.init)
    switch record.end?.outcome {
    case nil: break
    case .succeeded: state = .succeeded
    case .cancelled: state = .cancelled
    case .failed(let error):
      state = .failed
      failure = text(error.kind.rawValue)
      reason = text("\(error.kind): \(error.reason)")
    }
    if hasDetails { details = Details(record, text, since: log.date) }
  }
}

extension LoadRecord {
  /// The phases outside of the exchanges.
  fileprivate func waiting(until now: Duration) -> [ExchangeRecord.Phase] {
    let queue = queued.map { ExchangeRecord.Phase(name: .queue, start: $0, end: max(now, $0)) }
    return [queue, parsing].compactMap(\.self)
  }
}

extension LoadReport.Exchange {
  fileprivate init(_ record: ExchangeRecord, _ text: ReportText, until now: Duration) {
    reason = record.reason.rawValue
    method = text(record.method.rawValue)
    url = text.url(record.url)
    status = record.status?.rawValue
    hasFailed = record.hasFailed
    bytes = record.bytes
    start = (record.queued ?? record.sent).milliseconds
    duration = record.ended.map { ($0 - (record.queued ?? record.sent)).milliseconds }
    phases = record.phases(until: now).map(LoadReport.Phase.init)
    facts = record.metrics.map { $0.facts.map { text($0) } } ?? []
  }
}

extension ExchangeMetrics {
  fileprivate var facts: [String] {
    let connection = isConnectionReused.map { $0 ? "connection reused" : "new connection" }
    let timings = serverTimings.map { timing in
      "server: \(timing.name)" + (timing.duration.map { " \($0.milliseconds) ms" } ?? "")
        + (timing.description.map { " (\($0))" } ?? "")
    }
    return [httpVersion, peer.map { "\($0.address) port \($0.port)" }, connection]
      .compactMap(\.self) + timings
  }
}

extension LoadReport.Phase {
  fileprivate init(_ phase: ExchangeRecord.Phase) {
    self.init(
      name: phase.name.rawValue, start: phase.start.milliseconds, end: phase.end.milliseconds)
  }
}

extension LoadReport.Details {
  fileprivate init(_ record: LoadRecord, _ text: ReportText, since start: Date) {
    date = start.addingTimeInterval(record.start.seconds).formatted(
      Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    let body = record.omittedBodySize.map { " --data-binary '<\($0) bytes>'" } ?? ""
    curl = text(record.request.curlCommand) + body
    if case .failed(let error) = record.end?.outcome { self.error = text.lines(error.description) }
    source = record.source.map { text("\($0)") }
    trace = record.trace?.traceID
    remarks = record.remarks.map { event in
      LoadReport.Remark(
        time: event.elapsed.milliseconds,
        text: text(event.kind.description(secretNames: record.secretNames)))
    }
    omitted = record.omitted
  }
}

extension Response.Source {
  /// A name; `nil` for the network.
  fileprivate var name: String? {
    switch self {
    case .network: nil
    case .cache: "cache"
    case .revalidated: "revalidated"
    case .stale: "stale"
    @unknown default: "other"
    }
  }
}
