import Foundation
import ResourceJSON
import ResourceLoading
import ResourcePrimitives

/// Loads as an HTTP Archive (HAR 1.2): an entry for each exchange, without secrets and bodies.
struct ArchiveReport: Encodable, Sendable {
  private let log: Log

  init(_ records: [LoadRecord], since date: Date) {
    log = Log(
      entries: records.flatMap { record in
        let text = ReportText(record)
        return record.exchanges.map { Entry($0, of: record, text, since: date) }
      })
  }

  /// The archive as JSON.
  func json() throws -> Data { try JSONWriter.inspector.encode(self) }

  fileprivate struct Log: Encodable {
    var version = "1.2"
    var creator = ["name": "swift-resource-loading", "version": "1"]
    var entries: [Entry]
  }

  fileprivate struct Entry: Encodable {
    var startedDateTime: String
    var time: Double
    var request: Request
    var response: Response
    var cache: [String: String] = [:]
    var timings: Timings
    var comment: String
  }

  fileprivate struct Request: Encodable {
    var method: String
    var url: String
    var httpVersion: String
    var headers: [Pair]
    var queryString: [Pair]
    var cookies: [Pair] = []
    var headersSize = -1
    var bodySize: Int
  }

  fileprivate struct Response: Encodable {
    var status: Int
    var statusText: String
    var httpVersion: String
    var headers: [Pair] = []
    var cookies: [Pair] = []
    var content: Content
    var redirectURL = ""
    var headersSize = -1
    var bodySize: Int
    /// Why there is no complete response; `nil` if there is one.
    var _error: String?
  }

  fileprivate struct Content: Encodable {
    var size: Int
    var mimeType = ""
    var comment = "Bodies aren't recorded."
  }

  fileprivate struct Pair: Encodable {
    var name: String
    var value: String
  }

  /// In milliseconds; -1 for those that don't apply.
  fileprivate struct Timings: Encodable {
    var blocked = -1.0
    var dns = -1.0
    var connect = -1.0
    var ssl = -1.0
    var send = 0.0
    var wait = 0.0
    var receive = 0.0
  }
}

extension ArchiveReport.Entry {
  fileprivate init(
    _ exchange: ExchangeRecord, of record: LoadRecord, _ text: ReportText, since date: Date
  ) {
    let start = exchange.queued ?? exchange.sent
    let end = exchange.ended ?? exchange.received ?? start
    startedDateTime = date.addingTimeInterval((record.start + start).seconds).formatted(
      Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    time = (end - start).milliseconds
    request = ArchiveReport.Request(exchange, of: record, text)
    response = ArchiveReport.Response(exchange, of: record, text)
    timings = ArchiveReport.Timings(exchange.phases(until: end))
    comment = "load \(record.id), \(exchange.reason.rawValue)"
  }
}

extension ArchiveReport.Request {
  fileprivate init(_ exchange: ExchangeRecord, of record: LoadRecord, _ text: ReportText) {
    let url = text.url(exchange.url)
    // What middleware adds isn't known, and a redirect may have dropped headers.
    let isDescribed = exchange.reason != .redirect
    self.init(
      method: text(exchange.method.rawValue), url: url,
      httpVersion: text(exchange.metrics?.httpVersion ?? ""),
      headers: isDescribed
        ? text.headers(record.request.headers).map(ArchiveReport.Pair.init) : [],
      queryString: (url.cut(at: "?")?.behind ?? "").parts(between: "&").map { item in
        let (name, value) = item.cut(at: "=") ?? (item, "")
        return ArchiveReport.Pair(name: String(name), value: String(value))
      },
      bodySize: exchange.metrics?.bytesSent ?? record.omittedBodySize ?? -1)
  }
}

extension ArchiveReport.Response {
  fileprivate init(_ exchange: ExchangeRecord, of record: LoadRecord, _ text: ReportText) {
    self.init(
      status: exchange.status?.rawValue ?? 0, statusText: exchange.status?.reason ?? "",
      httpVersion: text(exchange.metrics?.httpVersion ?? ""),
      content: ArchiveReport.Content(size: exchange.bytes ?? -1),
      bodySize: exchange.metrics?.bytesReceived ?? -1)
    guard exchange.hasFailed else { return }
    if case .failed(let error) = record.end?.outcome {
      _error = text("\(error.kind): \(error.reason)")
    } else {
      _error = "the exchange broke off"
    }
  }
}

extension ArchiveReport.Timings {
  fileprivate init(_ phases: [ExchangeRecord.Phase]) {
    for phase in phases {
      let time = (phase.end - phase.start).milliseconds
      switch phase.name {
      case .queue: blocked = max(0, blocked) + time
      case .connect: connect = time
      // HAR counts the handshake as a part of the connection.
      case .tls: (ssl, connect) = (time, max(0, connect) + time)
      case .wait: wait = time
      case .body: receive = time
      case .parse: break
      }
    }
  }
}
