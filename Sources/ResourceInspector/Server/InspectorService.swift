import Foundation
import ResourceJSON
import ResourceLoading
import ResourcePrimitives

/// Answers the requests of one connection each.
struct InspectorService: Sendable {
  let authority: String
  private let log: LoadLog
  private let tables: TableSources
  private let token: String
  private let livePage = InspectorPage(isLive: true)

  /// The most loads of a page and of an event.
  private static let maximumLoads = 500
  /// The time between two events.
  private static let interval = Duration.milliseconds(250)
  /// How long a request may take to arrive.
  private static let patience = Duration.seconds(10)

  init(_ log: LoadLog, _ tables: TableSources, at authority: String, token: String) {
    self.log = log
    self.tables = tables
    self.authority = authority
    self.token = token
  }

  var url: URL? { URL(string: "http://\(authority)/\(token)/") }
}

extension InspectorService {
  /// Reads a request and answers it.
  func serve(_ socket: Socket) throws {
    guard let head = try readHead(socket) else { return }
    let answer = InspectorRequest(head: head)?.answer(at: authority, token: token)
    switch answer ?? .refused(400) {
    case .refused(let status): try send(nil, status: Status(rawValue: status), to: socket)
    case .page:
      let report = InspectorReport(log, atMost: Self.maximumLoads)
      // The tables come with the events, also in a program that hangs.
      try send(page(livePage, report, []), to: socket)
    case .savedPage(let ids):
      try send(page(InspectorPage(isLive: false), report(ids), tables.tablesNow()), to: socket)
    case .archive(let ids):
      let archive = ArchiveReport(log.records(ids), since: log.date)
      try send(Content("application/json", try archive.json()), to: socket)
    case .load(let id):
      guard let load = report([id]).loads.first else {
        return try send(nil, status: 404, to: socket)
      }
      try send(Content("application/json", try JSONWriter.inspector.encode(load)), to: socket)
    case .events(let change): try sendEvents(since: change, to: socket)
    }
  }

  private func page(
    _ page: InspectorPage, _ report: InspectorReport, _ tables: [ShownTable]
  ) throws -> Content {
    let html = try page.html(report, tables)
    return Content("text/html; charset=utf-8", Data(html.utf8), policy: page.policy)
  }

  private func report(_ ids: Set<Int>) -> InspectorReport {
    InspectorReport(log, ids: ids, hasDetails: true)
  }

  /// Reads a head; `nil` if the browser doesn't send one.
  private func readHead(_ socket: Socket) throws -> [UInt8]? {
    let deadline = ContinuousClock.now + Self.patience
    var head: [UInt8] = []
    while head.firstRange(of: [13, 10, 13, 10]) == nil {
      let rest = deadline - .now
      guard rest > .zero, head.count < InspectorRequest.maximumSize,
        try SystemCalls.waitForFirst([(socket.descriptor, .readable)], timeout: rest) != nil,
        let bytes = try socket.receive(atMost: 4096)
      else { return nil }
      head += bytes
    }
    return head
  }
}

extension InspectorService {
  private struct Content {
    var type: String
    var bytes: Data
    var policy: String

    init(_ type: String, _ bytes: Data, policy: String = "default-src 'none'") {
      (self.type, self.bytes, self.policy) = (type, bytes, policy)
    }
  }

  private func send(_ content: Content?, status: Status = 200, to socket: Socket) throws {
    let head = Self.head(
      status, content?.type, policy: content?.policy ?? "default-src 'none'",
      length: content?.bytes.count ?? 0)
    try socket.send(Array(head.utf8) + (content.map { Array($0.bytes) } ?? []))
    socket.shutDown(.writing)
  }

  /// Sends the changes as server-sent events until the page leaves. Changes that come faster than
  /// the events are sent together, and only the newest loads of them.
  private func sendEvents(since change: Int, to socket: Socket) throws {
    var change = change
    var feed = TableFeed(tables)
    let head = Self.head(
      200, "text/event-stream", policy: "default-src 'none'", length: nil)
    try socket.send(Array(head.utf8))
    repeat {
      if log.change != change {
        let report = InspectorReport(log, since: change, atMost: Self.maximumLoads)
        change = report.change
        try socket.send(
          Array("id: \(change)\nevent: report\ndata: ".utf8) + report.json() + Array("\n\n".utf8))
      }
      if let tables = feed.next() {
        let json = try JSONWriter.inspector.encode(tables)
        try socket.send(Array("event: tables\ndata: ".utf8) + json + Array("\n\n".utf8))
      }
    } while try !hasLeft(socket, within: Self.interval)
  }

  private func hasLeft(_ socket: Socket, within time: Duration) throws -> Bool {
    try SystemCalls.waitForFirst([(socket.descriptor, .hangUp)], timeout: time) != nil
  }

  private static func head(
    _ status: Status, _ type: String?, policy: String, length: Int?
  ) -> String {
    """
    HTTP/1.1 \(status)\r
    Connection: close\r
    Cache-Control: no-store\r
    Content-Security-Policy: \(policy); frame-ancestors 'none'\r
    Cross-Origin-Opener-Policy: same-origin\r
    Cross-Origin-Resource-Policy: same-origin\r
    Referrer-Policy: no-referrer\r
    X-Content-Type-Options: nosniff\r
    X-Frame-Options: DENY\r
    \(type.map { "Content-Type: \($0)\r\n" } ?? "")\
    \(length.map { "Content-Length: \($0)\r\n" } ?? "")\r

    """
  }
}
