public import Foundation
internal import ResourceJSON
internal import ResourceLoading

extension Script {
  /// Writes a whole response: status line, `headers` in their order, `Content-Length`, `body`.
  ///
  /// `Content-Length` is added unless `headers` has it or `Transfer-Encoding`, or the status is
  /// 1xx, 204 or 304. The response to HEAD has no body. With `Connection: close` among the headers
  /// the connection is closed afterwards.
  public static func response(
    status: Int = 200, headers: KeyValuePairs<String, String> = [:],
    body: some Sequence<UInt8> = Data()
  ) -> Script {
    let response = ScriptedResponse(status: status, headers: headers, body: Array(body))
    return Script(response.closes ? [.respond(response), .close] : [.respond(response)])
  }

  /// Writes a whole response with the UTF-8 of `body`; see `response(status:headers:body:)`.
  public static func response(
    status: Int = 200, headers: KeyValuePairs<String, String> = [:], body: String
  ) -> Script {
    response(status: status, headers: headers, body: Array(body.utf8))
  }

  /// Writes a whole response with an empty body, such as `.status(503, headers: ["Retry-After":
  /// "1"])`.
  public static func status(
    _ status: Int, headers: KeyValuePairs<String, String> = [:]
  ) -> Script {
    response(status: status, headers: headers)
  }

  /// Writes a whole response whose body is `text`, as `application/json`. The text is sent as it is
  /// and may be broken JSON.
  public static func json(_ text: String, status: Int = 200) -> Script {
    response(status: status, headers: ["Content-Type": "application/json"], body: text)
  }

  /// Writes a whole response whose body is the JSON of `value`.
  ///
  /// - Throws: What the encoder throws. If the handler rethrows it, the server responds with 500.
  public static func json(
    encoding value: some Encodable, status: Int = 200, encoder: JSONEncoder = JSONEncoder()
  ) throws -> Script {
    response(
      status: status, headers: ["Content-Type": "application/json"],
      body: try JSONWriter(encoder).encode(value))
  }

  /// Writes a redirect with an empty body. `location`, absolute or relative, becomes the `Location`
  /// field unchanged.
  public static func redirect(to location: String, status: Int = 302) -> Script {
    response(status: status, headers: ["Location": location])
  }

  /// Writes an interim response (1xx), which another response has to follow.
  public static func informational(
    _ status: Int, headers: KeyValuePairs<String, String> = [:]
  ) -> Script {
    response(status: status, headers: headers)
  }
}

extension Script {
  /// Writes a response with one chunk for each of `chunks`, then `trailers`.
  ///
  /// For pauses between the chunks, combine `head`, `chunk` and `lastChunk`:
  ///
  /// ```swift
  /// let inPieces: Script = [
  ///   .head(headers: ["Transfer-Encoding": "chunked"]),
  ///   .chunk("one"), .wait(gate), .chunk("two"), .lastChunk(),
  /// ]
  /// ```
  public static func chunked(
    _ chunks: [String], status: Int = 200, headers: KeyValuePairs<String, String> = [:],
    trailers: KeyValuePairs<String, String> = [:]
  ) -> Script {
    let fields = headers.map { ($0.key, $0.value) } + [("Transfer-Encoding", "chunked")]
    let head = ScriptedResponse(status: status, fields: fields).head
    return Script([.bytes(head)] + chunks.map { .chunk($0) } + [.lastChunk(trailers: trailers)])
  }

  /// Writes the status line, `headers` as they are and nothing else, and the empty line.
  public static func head(
    _ status: Int = 200, headers: KeyValuePairs<String, String> = [:]
  ) -> Script {
    let fields = headers.map { ($0.key, $0.value) }
    return .bytes(ScriptedResponse(status: status, fields: fields).head)
  }

  /// Writes one chunk of a chunked body. An empty chunk would end the body, so nothing is written
  /// for one.
  public static func chunk(_ bytes: some Collection<UInt8>) -> Script {
    guard !bytes.isEmpty else { return [] }
    let size = String(bytes.count, radix: 16)
    return .bytes(Array("\(size)\r\n".utf8) + Array(bytes) + Array("\r\n".utf8))
  }

  /// Writes one chunk of a chunked body, the UTF-8 of `text`.
  public static func chunk(_ text: String) -> Script {
    chunk(text.utf8)
  }

  /// Writes the end of a chunked body.
  public static func lastChunk(trailers: KeyValuePairs<String, String> = [:]) -> Script {
    .bytes("0\r\n" + trailers.map { "\($0.key): \($0.value)\r\n" }.joined() + "\r\n")
  }
}

/// A response whose bytes depend on the method of the request.
struct ScriptedResponse: Sendable {
  let status: Int
  let fields: [(name: String, value: String)]
  let body: [UInt8]

  init(status: Int, fields: [(String, String)], body: [UInt8] = []) {
    self.status = status
    self.fields = fields.map { (name: $0.0, value: $0.1) }
    self.body = body
  }

  /// Adds the length of the body to `headers` where HTTP requires it.
  init(status: Int, headers: KeyValuePairs<String, String>, body: [UInt8]) {
    let given = headers.map { ($0.key, $0.value) }
    let names = given.map { $0.0.lowercased() }
    let isFramed = names.contains("content-length") || names.contains("transfer-encoding")
    let needsNoLength = status < 200 || status == 204 || status == 304
    let length = isFramed || needsNoLength ? [] : [("Content-Length", "\(body.count)")]
    self.init(status: status, fields: given + length, body: body)
  }

  /// Whether the response announces the end of its connection.
  var closes: Bool {
    fields.contains { $0.name.lowercased() == "connection" && $0.value.lowercased() == "close" }
  }

  var reason: String { Status(rawValue: status).reason ?? "Status \(status)" }

  /// Status line, fields and the empty line.
  var head: [UInt8] {
    let lines = fields.map { "\($0.name): \($0.value)\r\n" }.joined()
    return Array("HTTP/1.1 \(status) \(reason)\r\n\(lines)\r\n".utf8)
  }

  /// Returns the bytes; a response to HEAD has no body (RFC 9110 section 9.3.2).
  func bytes(answering method: String?) -> [UInt8] {
    method == "HEAD" ? head : head + body
  }
}
