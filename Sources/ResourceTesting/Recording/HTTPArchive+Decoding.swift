import Foundation
import ResourceLoading

extension HTTPArchive: Decodable {
  /// Reads an archive.
  ///
  /// - Throws: `DecodingError` for what isn't one.
  public init(from decoder: any Decoder) throws {
    let log = try decoder.container(keyedBy: Key.self).nestedContainer(
      keyedBy: Key.self, forKey: "log")
    entries = try log.decode([Entry].self, forKey: "entries")
    comment = log.text("comment")
    let creator = try? log.nestedContainer(keyedBy: Key.self, forKey: "creator")
    self.creator = creator?.text("name") ?? ""
  }

  /// The name of a member.
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
    response = try entry.decode(HTTPArchive.Response.self, forKey: "response")
    started = entry.text("startedDateTime").flatMap(HTTPArchive.date)
    comment = entry.text("comment")
    if let timings = try? entry.decodeIfPresent(HTTPArchive.Timings.self, forKey: "timings") {
      self.timings = timings
    }
    if timings == HTTPArchive.Timings() { timings.wait = entry.duration("time") }
    let inner = try entry.nestedContainer(keyedBy: HTTPArchive.Key.self, forKey: "response")
    failure = HTTPArchive.Failure(entry, inner, status: response.status)
  }
}

extension HTTPArchive.Failure {
  /// Makes the failure of an entry: one that a recording names, Chrome's network error, or a missing response.
  fileprivate init?(
    _ entry: KeyedDecodingContainer<HTTPArchive.Key>,
    _ response: KeyedDecodingContainer<HTTPArchive.Key>, status: Int
  ) {
    let reason = response.text("_error") ?? entry.text("_error")
    if let kind = response.text("_errorKind"), let reason {
      self.init(LoadError.Kind(rawValue: kind), reason)
      isUnsent = (try? response.decodeIfPresent(Bool.self, forKey: "_unsent")) ?? false
    } else if let reason, !reason.isEmpty {
      self.init(Self.kind(of: reason), "the recorded request failed with \(reason)")
    } else if status == 0 {
      self.init(.connection, "the recorded request got no response")
    } else {
      return nil
    }
  }

  /// The kind for one of Chrome's names, such as `net::ERR_CONNECTION_REFUSED`.
  private static func kind(of name: String) -> LoadError.Kind {
    let name = name.uppercased()
    if name.contains("ABORTED") { return cancelled }
    if name.contains("TIMED_OUT") { return .timedOut }
    return name.contains("ERR_CERT") || name.contains("ERR_SSL") ? .secureConnection : .connection
  }
}

extension HTTPArchive.Request: Decodable {
  /// Reads a request.
  ///
  /// - Throws: `DecodingError` without a method and a URL, and for a body or headers that can't be read.
  public init(from decoder: any Decoder) throws {
    let request = try decoder.container(keyedBy: HTTPArchive.Key.self)
    method = try request.decode(String.self, forKey: "method")
    url = try request.decode(String.self, forKey: "url")
    httpVersion = request.text("httpVersion") ?? ""
    headers = try request.headers()
    guard var post = try request.body(in: "postData") else { return }
    if post.size == 0, let parameters = try request.form() { post.data = Data(parameters.utf8) }
    post.size = max(post.data.count, post.isComplete ? 0 : request.count("bodySize") ?? 0)
    body = post
  }
}

extension HTTPArchive.Response: Decodable {
  /// Reads a response.
  ///
  /// - Throws: `DecodingError` without a status, and for a body or headers that can't be read.
  public init(from decoder: any Decoder) throws {
    let response = try decoder.container(keyedBy: HTTPArchive.Key.self)
    status = try response.decode(Int.self, forKey: "status")
    guard (0...999).contains(status) else {
      throw response.corrupted("status", "\(status) is no status.")
    }
    reason = response.text("statusText") ?? ""
    httpVersion = response.text("httpVersion") ?? ""
    headers = try response.headers()
    body = try response.body(in: "content")
  }
}

extension HTTPArchive.Timings: Decodable {
  /// Reads timings. Those that are negative or no numbers are unknown.
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

// MARK: - Members

private struct DecodedField: Decodable {
  let name: String
  let value: String
}

private struct DecodedParameter: Decodable {
  let name: String
  let value: String?
}

extension KeyedDecodingContainer where Key == HTTPArchive.Key {
  /// Returns a text; `nil` if it is missing or no text.
  fileprivate func text(_ key: Key) -> String? { try? decodeIfPresent(String.self, forKey: key) }

  /// A number of bytes; `nil` if it is unknown, which browsers write as -1.
  fileprivate func count(_ key: Key) -> Int? {
    guard let number = try? decodeIfPresent(Double.self, forKey: key), number >= 0 else {
      return nil
    }
    return Int(exactly: number.rounded())
  }

  /// A time in milliseconds; `nil` if it is unknown, or longer than a year.
  fileprivate func duration(_ key: Key) -> Duration? {
    guard let number = try? decodeIfPresent(Double.self, forKey: key),
      (0...31_536_000_000).contains(number)
    else { return nil }
    return .microseconds(Int64((number * 1000).rounded()))
  }

  /// The headers without those of HTTP/2's frames. A value of several lines, as which browsers write repeated fields, is
  /// several fields.
  ///
  /// - Throws: `DecodingError` if they aren't a list of names and values.
  fileprivate func headers() throws -> Headers {
    var headers = Headers()
    for field in try decodeIfPresent([DecodedField].self, forKey: "headers") ?? [] {
      guard !field.name.isEmpty, !field.name.hasPrefix(":") else { continue }
      for line in field.value.split(whereSeparator: \.isNewline).map(String.init) {
        headers.append(Headers.Name(rawValue: field.name), line)
      }
      if field.value.isEmpty { headers.append(Headers.Name(rawValue: field.name), "") }
    }
    return headers
  }

  /// A body; `nil` if it isn't there, or says that there are bytes and doesn't have them.
  ///
  /// - Throws: `DecodingError` for a text that is none, and for base64 that can't be decoded.
  fileprivate func body(in key: Key) throws -> HTTPArchive.Body? {
    guard contains(key), try !decodeNil(forKey: key) else { return nil }
    let content = try nestedContainer(keyedBy: Key.self, forKey: key)
    let text = try content.decodeIfPresent(String.self, forKey: "text")
    let size = content.count("size")
    guard text != nil || (size ?? 0) == 0 else { return nil }
    let isCoded = (content.text("encoding") ?? content.text("_encoding")) == "base64"
    let bare = isCoded ? text?.filter { !$0.isWhitespace } : nil
    guard let data = isCoded ? Data(base64Encoded: bare ?? "") : Data((text ?? "").utf8) else {
      throw content.corrupted("text", "The text isn't valid base64.")
    }
    let type = content.text("mimeType").flatMap { $0.isEmpty ? nil : $0 }
    var body = HTTPArchive.Body(data, mediaType: type)
    body.isText = !isCoded
    body.isComplete = (try? content.decodeIfPresent(Bool.self, forKey: "_complete")) ?? true
    if !body.isComplete { body.size = max(size ?? 0, data.count) }
    return body
  }

  /// The fields of a form, as they were sent; `nil` without any.
  ///
  /// - Throws: `DecodingError` if they aren't a list.
  fileprivate func form() throws -> String? {
    let post = try nestedContainer(keyedBy: Key.self, forKey: "postData")
    guard let list = try post.decodeIfPresent([DecodedParameter].self, forKey: "params"),
      !list.isEmpty
    else { return nil }
    // Chrome writes them as they were sent, and Firefox decoded.
    return list.map { "\($0.name.formEncoded)=\(($0.value ?? "").formEncoded)" }
      .joined(separator: "&")
  }

  fileprivate func corrupted(_ key: Key, _ reason: String) -> DecodingError {
    .dataCorruptedError(forKey: key, in: self, debugDescription: reason)
  }
}

extension String {
  /// The text for a form, unless it is encoded already.
  fileprivate var formEncoded: String {
    PercentEncoding.form.accepts(replacing(["+": ""])) ? self : PercentEncoding.form.encode(self)
  }
}

extension HTTPArchive {
  /// The date for a text of ISO 8601, with or without fractions of a second.
  fileprivate static func date(_ text: String) -> Date? {
    (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
      ?? (try? Date(text, strategy: Date.ISO8601FormatStyle()))
  }
}
