import Foundation
import ResourceLoading

/// The record of an exchange, from which its entry is created.
struct ExchangeRecord: Sendable {
  let request: WireRequest
  private let began: Duration
  private let date: Date
  private var head: ResponseHead?
  private var headArrived: Duration?
  private var body = Data()
  private var bodySize = 0
  var ended: Duration
  var metrics: ExchangeMetrics?
  var failure: HTTPArchive.Failure?
  /// The messages of a WebSocket.
  var messages: [HTTPArchive.Message] = []
  /// Whether some of them are missing.
  var lacksMessages = false

  /// Creates the record of an exchange that begins at a time of the clock and on a date.
  init(_ request: WireRequest, at time: Duration, on date: Date) {
    self.request = request
    (began, ended, self.date) = (time, time, date)
  }

  mutating func receive(_ head: ResponseHead, at time: Duration) {
    (self.head, headArrived, body, bodySize) = (head, time, Data(), 0)
  }

  mutating func receive(_ chunk: Data, atMost limit: Int) {
    bodySize += chunk.count
    body.append(chunk.prefix(max(0, limit - body.count)))
  }
}

extension ExchangeRecord {
  /// Returns the entry, which still contains its secrets, with at most `limit` bytes of the
  /// request's body.
  func entry(bodiesAtMost limit: Int) -> HTTPArchive.Entry {
    var sent = HTTPArchive.Request(
      request.method.rawValue, url: request.url.absoluteString, headers: request.headers)
    sent.body = request.body.map { body($0, atMost: limit) }
    var received = HTTPArchive.Response(
      status: head?.status.rawValue ?? 0, headers: head?.headers ?? [:])
    var content = HTTPArchive.Body(body, mediaType: head?.headers[.contentType])
    (content.size, content.isComplete) = (bodySize, bodySize == body.count)
    received.body = content
    sent.httpVersion = metrics?.httpVersion ?? ""
    received.httpVersion = sent.httpVersion
    var entry = HTTPArchive.Entry(request: sent, response: received)
    (entry.started, entry.failure, entry.timings) = (date, failure, timings)
    entry.messages = messages
    if lacksMessages { entry.comment = "Only the first \(messages.count) messages were kept." }
    return entry
  }

  /// Returns the beginning of the body that was sent. A file is read again, because it may be too
  /// large to keep in memory.
  private func body(_ sent: WireBody, atMost limit: Int) -> HTTPArchive.Body {
    var data = Data()
    var reader = sent.makeReader()
    while data.count < limit, let piece = try? reader.next(atMost: min(limit - data.count, 1 << 18))
    {
      data.append(piece)
    }
    var body = HTTPArchive.Body(data, mediaType: request.headers[.contentType])
    (body.size, body.isComplete) = (sent.length, sent.length == data.count)
    return body
  }

  private var timings: HTTPArchive.Timings {
    var timings = HTTPArchive.Timings()
    let total = ended - began
    let firstByte = metrics?.firstByte ?? headArrived.map { $0 - began } ?? total
    timings.receive = max(.zero, (metrics?.ended ?? total) - firstByte)
    var place = Duration.zero
    // The phases follow one another. A phase that didn't happen takes no time.
    func phase(until end: Duration?) -> Duration? {
      guard let end, end >= place, end <= firstByte else { return nil }
      defer { place = end }
      return end - place
    }
    timings.blocked = phase(until: metrics?.began)
    timings.dns = phase(until: metrics?.nameLookedUp)
    let connected = phase(until: metrics?.connected)
    timings.ssl = phase(until: metrics?.secured)
    timings.connect = connected.map { $0 + (timings.ssl ?? .zero) } ?? timings.ssl
    timings.wait = firstByte - place
    return timings
  }
}
