import Foundation
import ResourceLoading

extension LoopbackRoute {
  /// Creates a route that answers from a HAR file, over real connections.
  ///
  /// ```swift
  /// let server = try LoopbackServer {
  ///   LoopbackRoute(playing: archive) { entry, script in
  ///     entry.request.url.hasSuffix("/slow") ? script.cut(after: 100) : script
  ///   }
  /// }
  /// ```
  ///
  /// Requests are matched by method, path and query, whatever the host. Status, reason, headers and
  /// body are sent byte for byte as they are in the file. A body whose coding was removed, or that
  /// was chunked, is sent with its length. Redirects to a recorded origin lead to this server.
  /// Where the response broke off, the connection is closed. A request that isn't in the file gets
  /// a 404 with a text that shows the nearest entry.
  ///
  /// - Parameters:
  ///   - archive: The exchanges.
  ///   - matchers: What has to match between a request and the entry that answers it.
  ///   - order: How often entries answer, and in which order.
  ///   - change: Returns the script to send for an entry: the given one, or one with faults.
  public init(
    playing archive: HTTPArchive, matching matchers: [RequestMatcher] = [.method, .target],
    order: PlaybackTransport.Order = .repeatedly,
    _ change: @escaping @Sendable (_ entry: HTTPArchive.Entry, _ script: Script) -> Script = {
      $1
    }
  ) {
    let list = PlaybackList(archive, matchers, order)
    let origins = Set(archive.entries.map { ComparedURL($0.request.url).origin })
    self.init("*") { request in
      do throws(LoadError) {
        let asked = HTTPArchive.Request(request)
        guard let entry = list.take(for: asked) else { throw list.missing(asked) }
        return change(entry, try Script(entry, for: request, origins: origins))
      } catch {
        return .response(
          status: 404, headers: ["Content-Type": "text/plain; charset=utf-8"],
          body: "\(error.reason)\n")
      }
    }
  }
}

extension Script {
  /// Creates the script that sends the response of a recorded exchange.
  fileprivate init(
    _ entry: HTTPArchive.Entry, for request: ReceivedRequest, origins: Set<String>
  ) throws(LoadError) {
    guard
      let played = try PlayedResponse(
        entry, isOwn: false, hasBody: request.method != "HEAD", Headers(request.headers))
    else {
      self = entry.failure?.kind == .timedOut ? .silence : .reset
      return
    }
    var headers = played.head.headers
    if let location = headers[.location].map(ComparedURL.init), origins.contains(location.origin) {
      headers[.location] = location.target
    }
    let isCut = entry.failure != nil
    let status = played.head.status.rawValue
    let hasLength = headers[.contentLength] != nil || status < 200 || [204, 304].contains(status)
    if !hasLength, !isCut { headers[.contentLength] = "\(played.body.count)" }
    // A length that is too large shows that a response which broke off isn't complete.
    if isCut, !hasLength { headers[.contentLength] = "\(played.body.count + 1)" }
    let reason =
      entry.response.reason.isEmpty ? played.head.status.reason ?? "" : entry.response.reason
    let lines = headers.map { "\($0.name): \($0.value)\r\n" }.joined()
    let head = Data("HTTP/1.1 \(status) \(reason)\r\n\(lines)\r\n".utf8)
    self = isCut ? [.bytes(head + played.body), .close] : .bytes(head + played.body)
  }
}

extension HTTPArchive.Request {
  fileprivate init(_ request: ReceivedRequest) {
    self.init(request.method, url: request.target, headers: Headers(request.headers))
    if !request.body.isEmpty {
      body = HTTPArchive.Body(request.body, mediaType: request.header("Content-Type"))
    }
  }
}

extension Headers {
  fileprivate init(_ received: [ReceivedRequest.Header]) {
    self.init()
    for field in received { append(Name(rawValue: field.name), field.value) }
  }
}

extension Script {
  /// Returns the script, cut off after a number of bytes and followed by another one.
  ///
  /// Steps whose bytes depend on the request, such as ``proceed(_:)``, count as if they wrote
  /// nothing.
  ///
  /// - Parameters:
  ///   - count: The most bytes to write, including those of the head.
  ///   - end: What follows, such as ``close``, ``reset`` or ``silence``, even if the script is
  ///     shorter.
  public func cut(after count: Int, _ end: Script = .close) -> Script {
    var (left, kept) = (max(0, count), [Step]())
    for step in steps {
      guard let bytes = step.written else {
        kept.append(step)
        continue
      }
      switch step {
      case .drip(_, let size, let interval):
        kept.append(.drip(Array(bytes(left)), size: size, interval: interval))
      default: kept.append(.write(Array(bytes(left))))
      }
      left -= bytes(left).count
      if left == 0 { break }
    }
    return Script([Script(kept), end])
  }
}

extension Script.Step {
  /// Returns the first bytes that the step writes; `nil` if it writes none.
  fileprivate var written: ((_ limit: Int) -> ArraySlice<UInt8>)? {
    switch self {
    case .write(let bytes), .drip(let bytes, _, _): { bytes.prefix($0) }
    case .respond(let response): { (response.head + response.body).prefix($0) }
    case .repeatedly(let bytes, let count):
      { limit in
        guard !bytes.isEmpty, limit > 0 else { return [] }
        let times = min(count ?? .max, (limit - 1) / bytes.count + 1)
        return ArraySlice((0..<times).flatMap { _ in bytes }).prefix(limit)
      }
    default: nil
    }
  }
}
