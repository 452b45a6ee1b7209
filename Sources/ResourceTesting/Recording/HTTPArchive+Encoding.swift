import Foundation
import ResourceLoading
import ResourcePrimitives

extension HTTPArchive: Encodable {
  /// Writes the archive.
  ///
  /// - Throws: What the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var root = encoder.container(keyedBy: Key.self)
    var log = root.nestedContainer(keyedBy: Key.self, forKey: "log")
    try log.encode("1.2", forKey: "version")
    try log.encode(["name": creator, "version": creatorVersion], forKey: "creator")
    try log.encodeIfPresent(comment, forKey: "comment")
    try log.encode(entries, forKey: "entries")
  }
}

extension HTTPArchive.Entry: Encodable {
  /// Writes the entry, with the members that HAR 1.2 requires.
  ///
  /// - Throws: What the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var entry = encoder.container(keyedBy: HTTPArchive.Key.self)
    try entry.encode(HTTPArchive.text(started), forKey: "startedDateTime")
    try entry.encode(timings.total.milliseconds, forKey: "time")
    try entry.encode(request, forKey: "request")
    try encodeResponse(to: entry.superEncoder(forKey: "response"))
    _ = entry.nestedContainer(keyedBy: HTTPArchive.Key.self, forKey: "cache")
    try entry.encode(timings, forKey: "timings")
    if !messages.isEmpty {
      try entry.encode("websocket", forKey: "_resourceType")
      try entry.encode(messages, forKey: "_webSocketMessages")
    }
    try entry.encodeIfPresent(comment, forKey: "comment")
  }

  /// Writes the response, and why it isn't complete.
  private func encodeResponse(to encoder: any Encoder) throws {
    try response.encode(to: encoder)
    guard let failure else { return }
    var members = encoder.container(keyedBy: HTTPArchive.Key.self)
    try members.encode(failure.reason, forKey: "_error")
    try members.encode(failure.kind.rawValue, forKey: "_errorKind")
    if failure.isUnsent { try members.encode(true, forKey: "_unsent") }
  }
}

extension HTTPArchive.Request: Encodable {
  /// Writes the request.
  ///
  /// - Throws: What the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var request = encoder.container(keyedBy: HTTPArchive.Key.self)
    try request.encode(method, forKey: "method")
    try request.encode(url, forKey: "url")
    try request.encode(httpVersion, forKey: "httpVersion")
    try request.encode(headers.map(Pair.init), forKey: "headers")
    let cookies = headers.values(of: .cookie).flatMap { $0.parts(between: ";") }
    try request.encode(cookies.map(Pair.init), forKey: "cookies")
    let query = url.cut(at: "?").map { String($0.behind) } ?? ""
    try request.encode(query.parts(between: "&").map(Pair.init), forKey: "queryString")
    try request.encode(-1, forKey: "headersSize")
    try request.encode(body?.size ?? 0, forKey: "bodySize")
    guard let body else { return }
    try body.encode(into: &request, as: "postData", coding: "_encoding", asText: true)
  }
}

extension HTTPArchive.Response: Encodable {
  /// Writes the response.
  ///
  /// - Throws: What the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var response = encoder.container(keyedBy: HTTPArchive.Key.self)
    try response.encode(status, forKey: "status")
    try response.encode(reason, forKey: "statusText")
    try response.encode(httpVersion, forKey: "httpVersion")
    try response.encode(headers.map(Pair.init), forKey: "headers")
    let cookies = headers.values(of: .setCookie).compactMap { $0.parts(between: ";").first }
    try response.encode(cookies.map(Pair.init), forKey: "cookies")
    try response.encode(headers[.location] ?? "", forKey: "redirectURL")
    try response.encode(-1, forKey: "headersSize")
    try response.encode(body?.size ?? -1, forKey: "bodySize")
    guard let body else {
      return try (missingBody ?? HTTPArchive.MissingBody()).encode(into: &response)
    }
    let isText = body.isTranscoded || !isInOtherCharset(body.data)
    try body.encode(into: &response, as: "content", coding: "encoding", asText: isText)
  }
}

extension HTTPArchive.MissingBody {
  /// Writes what is known about the body, without text, which would stand for a known body.
  fileprivate func encode(into response: inout KeyedEncodingContainer<HTTPArchive.Key>) throws {
    var content = response.nestedContainer(keyedBy: HTTPArchive.Key.self, forKey: "content")
    try content.encode(size ?? -1, forKey: "size")
    try content.encode(mediaType ?? "", forKey: "mimeType")
    try content.encodeIfPresent(reason?.rawValue, forKey: "comment")
  }
}

extension HTTPArchive.Body {
  /// Writes text as it is if no reader would decode it with another charset, and other bodies in
  /// base64.
  fileprivate func encode(
    into container: inout KeyedEncodingContainer<HTTPArchive.Key>, as key: HTTPArchive.Key,
    coding: HTTPArchive.Key, asText: Bool
  ) throws {
    var content = container.nestedContainer(keyedBy: HTTPArchive.Key.self, forKey: key)
    try content.encode(size, forKey: "size")
    try content.encode(mediaType ?? "", forKey: "mimeType")
    if asText, isTranscoded || !data.contains(0),
      let text = String(validating: data, as: UTF8.self)
    {
      try content.encode(text, forKey: "text")
    } else {
      try content.encode(data.base64EncodedString(), forKey: "text")
      try content.encode("base64", forKey: coding)
    }
    guard !isComplete else { return }
    try content.encode(false, forKey: "_complete")
    try content.encode(
      "Only the first \(data.count) of \(size) bytes were kept.", forKey: "comment")
  }
}

extension HTTPArchive.Timings: Encodable {
  /// Writes the timings in milliseconds, -1 for those that don't apply.
  ///
  /// - Throws: What the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var times = encoder.container(keyedBy: HTTPArchive.Key.self)
    try times.encode(blocked?.milliseconds ?? -1, forKey: "blocked")
    try times.encode(dns?.milliseconds ?? -1, forKey: "dns")
    try times.encode(connect?.milliseconds ?? -1, forKey: "connect")
    try times.encode(ssl?.milliseconds ?? -1, forKey: "ssl")
    // HAR requires these to be 0 or more.
    try times.encode(send?.milliseconds ?? 0, forKey: "send")
    try times.encode(wait?.milliseconds ?? 0, forKey: "wait")
    try times.encode(receive?.milliseconds ?? 0, forKey: "receive")
  }
}

private struct Pair: Encodable {
  let name: String
  let value: String

  init(_ field: Headers.Field) { (name, value) = (field.name.rawValue, field.value) }

  init(_ text: Substring) {
    let (before, behind) = text.cut(at: "=") ?? (text, "")
    (name, value) = (before.trimmingSpaces(), String(behind))
  }
}

extension Duration {
  /// The duration in milliseconds, to the microsecond.
  fileprivate var milliseconds: Double {
    (min(self, .century).seconds * 1_000_000).rounded() / 1000
  }
}
