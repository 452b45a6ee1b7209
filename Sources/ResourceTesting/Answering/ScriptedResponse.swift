/// A response whose last details depend on the request it answers.
struct ScriptedResponse: Sendable {
  let status: Int
  let fields: [(name: String, value: String)]
  let body: [UInt8]

  init(status: Int, fields: [(String, String)], body: [UInt8] = []) {
    self.status = status
    self.fields = fields.map { (name: $0.0, value: $0.1) }
    self.body = body
  }

  /// Completes `headers` by the length of the body where HTTP wants it said.
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

  /// Status line, fields and the empty line.
  var head: [UInt8] {
    let lines = fields.map { "\($0.name): \($0.value)\r\n" }.joined()
    return Array("HTTP/1.1 \(status) \(ReasonPhrase.of(status))\r\n\(lines)\r\n".utf8)
  }

  /// An answer to HEAD has no body (RFC 9110, section 9.3.2).
  func bytes(answering method: String?) -> [UInt8] {
    method == "HEAD" ? head : head + body
  }
}
