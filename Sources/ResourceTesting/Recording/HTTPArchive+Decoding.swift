import Foundation
import ResourceLoading
import ResourcePrimitives

extension HTTPArchive: Decodable {
  /// Reads an archive.
  ///
  /// - Throws: `DecodingError` if it isn't an archive.
  public init(from decoder: any Decoder) throws {
    let log = try decoder.container(keyedBy: Key.self).nestedContainer(
      keyedBy: Key.self, forKey: "log")
    entries = try log.decode([Entry].self, forKey: "entries")
    comment = log.text("comment")
    let creator = try? log.nestedContainer(keyedBy: Key.self, forKey: "creator")
    self.creator = creator?.text("name") ?? ""
    creatorVersion = creator?.text("version") ?? ""
  }

  struct Key: CodingKey, ExpressibleByStringLiteral {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringLiteral value: String) { stringValue = value }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}

extension HTTPArchive.Entry: Decodable {
  /// Reads an entry.
  ///
  /// - Throws: `DecodingError` if there is no usable request or response.
  public init(from decoder: any Decoder) throws {
    let entry = try decoder.container(keyedBy: HTTPArchive.Key.self)
    request = try entry.decode(HTTPArchive.Request.self, forKey: "request")
    // Programs omit it or write null while a request is pending or after it has failed.
    let answer = try? entry.nestedContainer(keyedBy: HTTPArchive.Key.self, forKey: "response")
    response =
      try entry.decodeIfPresent(HTTPArchive.Response.self, forKey: "response")
      ?? HTTPArchive.Response(status: 0, body: nil)
    started = entry.text("startedDateTime").flatMap(HTTPArchive.date)
    comment = entry.text("comment")
    if let timings = try? entry.decodeIfPresent(HTTPArchive.Timings.self, forKey: "timings") {
      self.timings = timings
    }
    if timings == HTTPArchive.Timings() { timings.wait = entry.duration("time") }
    failure = HTTPArchive.Failure(entry, answer, status: response.status)
    messages = entry.messages
  }
}

extension HTTPArchive.Failure {
  /// Creates the failure of an entry: one that a recording names, Chrome's network error, or a
  /// missing response.
  fileprivate init?(
    _ entry: KeyedDecodingContainer<HTTPArchive.Key>,
    _ response: KeyedDecodingContainer<HTTPArchive.Key>?, status: Int
  ) {
    let reason = response?.text("_error") ?? entry.text("_error")
    if let kind = response?.text("_errorKind"), let reason {
      self.init(LoadError.Kind(rawValue: kind), reason)
      isUnsent = (try? response?.decodeIfPresent(Bool.self, forKey: "_unsent")) ?? false
    } else if let reason, !reason.isEmpty {
      self.init(Self.kind(of: reason), "the recorded request failed with \(reason)")
    } else if status == 0 {
      // WebPageTest writes -2 or a Windows error code, and Flutter's tools a string.
      let written = response?.value("status")?.texts.first.map { $0 == "0" ? "" : $0 } ?? ""
      let status = written.isEmpty ? "" : " (status \(written.printable))"
      self.init(.connection, "the recorded request got no response\(status)")
    } else {
      return nil
    }
  }

  /// The kind for one of Chrome's error names, such as `net::ERR_CONNECTION_REFUSED`.
  private static func kind(of name: String) -> LoadError.Kind {
    let name = name.uppercased()
    if name.includes("ABORTED") { return cancelled }
    if name.includes("TIMED_OUT") { return .timedOut }
    return name.includes("ERR_CERT") || name.includes("ERR_SSL") ? .secureConnection : .connection
  }
}

extension HTTPArchive.Request: Decodable {
  /// Reads a request. A body that isn't in the file, or that can't be decoded, is unknown.
  ///
  /// - Throws: `DecodingError` if the method or the URL is missing, or the headers aren't a list.
  public init(from decoder: any Decoder) throws {
    let request = try decoder.container(keyedBy: HTTPArchive.Key.self)
    method = try request.decode(String.self, forKey: "method")
    url = try request.decode(String.self, forKey: "url")
    httpVersion = request.text("httpVersion") ?? ""
    headers = try request.headers()
    let sent = request.count("bodySize") ?? 0
    switch request.content("postData") {
    case .known(var content):
      content.isTranscoded = false
      content.size = max(content.data.count, content.isComplete ? 0 : max(sent, content.size))
      body = content.data.isEmpty && content.isComplete ? request.form() ?? content : content
    case .missing(let missing):
      body = request.form() ?? Self.unknown(missing.size ?? sent, missing.mediaType)
    // Browsers omit bodies that aren't text.
    case nil where sent > 0 && !["GET", "HEAD"].contains(method):
      body = Self.unknown(sent, headers[.contentType])
    case nil: break
    }
  }

  private static func unknown(_ size: Int, _ type: String?) -> HTTPArchive.Body {
    var body = HTTPArchive.Body(Data(), mediaType: type)
    (body.size, body.isComplete) = (size, size == 0)
    return body
  }
}

extension HTTPArchive.Response: Decodable {
  /// Reads a response. An invalid status counts as no response. A body that isn't in the file, or
  /// that can't be decoded, is unknown.
  ///
  /// - Throws: `DecodingError` if it isn't an object, or the headers aren't a list.
  public init(from decoder: any Decoder) throws {
    let response = try decoder.container(keyedBy: HTTPArchive.Key.self)
    let status = response.value("status")?.texts.first.flatMap { Int($0) } ?? 0
    self.status = (0...999).contains(status) ? status : 0
    reason = response.text("statusText") ?? ""
    httpVersion = response.text("httpVersion") ?? ""
    headers = try response.headers()
    let received = response.count("bodySize") ?? 0
    switch response.content("content") {
    case .known(var content):
      content.isTranscoded = content.isTranscoded && isInOtherCharset(content.data)
      body = content
    // Without text, a size of 0 means that the body is empty or wasn't kept.
    case .missing(let missing)
    where missing.size == 0 && headers[.contentLength].map { Int($0) == 0 } ?? (received == 0):
      body = HTTPArchive.Body(Data(), mediaType: missing.mediaType)
    case .missing(var missing):
      if missing.size == 0 { missing.size = nil }
      if missing != HTTPArchive.MissingBody() { missingBody = missing }
    case nil: break
    }
  }

  /// Whether bytes, if they are text, are in a charset other than UTF-8.
  func isInOtherCharset(_ data: Data) -> Bool {
    guard let type = headers[.contentType],
      let charset = MediaType(rawValue: type).parameter("charset")
    else { return false }
    return charset.lowercased() != "utf-8" && data.contains { $0 > 0x7F }
  }
}

extension HTTPArchive.Timings: Decodable {
  /// Reads timings. Negative ones, and those that aren't numbers, are unknown.
  ///
  /// - Throws: `DecodingError` if they aren't an object.
  public init(from decoder: any Decoder) throws {
    let times = try decoder.container(keyedBy: HTTPArchive.Key.self)
    blocked = times.duration("blocked")
    dns = times.duration("dns")
    connect = times.duration("connect")
    ssl = times.duration("ssl")
    send = times.duration("send")
    wait = times.duration("wait")
    receive = times.duration("receive")
  }
}
