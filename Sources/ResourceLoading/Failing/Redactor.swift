import Foundation

/// Replaces the secrets of one request wherever they turn up: under their own names, and as plain text in
/// what a server or the platform says.
struct Redactor: Sendable {
  private var values: Set<String> = []

  /// Knows the secrets of a request.
  init(_ request: Request) {
    note(headers: request.headers)
    note(url: request.url.absoluteString)
  }

  /// Learns the secrets of a URL that a server sent.
  mutating func note(url: String) {
    let parts = URLText(url)
    if let userInfo = parts.userInfo {
      note(userInfo)
      for part in userInfo.split(separator: ":", maxSplits: 1) { note(String(part)) }
    }
    for item in parts.queryItems where Secrets.isSecret(name: item.name) { note(item.value) }
  }

  /// Learns the secrets of headers.
  mutating func note(headers: Headers) {
    for field in headers where Secrets.isSecret(name: field.name.rawValue) {
      note(field.value)
      for part in field.value.split(whereSeparator: { " ;,=".contains($0) }) { note(String(part)) }
      if let pair = field.value.split(separator: " ").last.flatMap({ Data(base64Encoded: "\($0)") })
      {
        let text = String(decoding: pair, as: UTF8.self)
        note(text)
        for part in text.split(separator: ":", maxSplits: 1) { note(String(part)) }
      }
    }
  }

  private mutating func note(_ value: String) {
    for form in [value, value.removingPercentEncoding ?? value] where form.utf8.count >= 6 {
      values.insert(form)
      values.insert(PercentEncoding.unreserved.encode(form))
    }
  }
}

extension Redactor {
  /// A text without the known secrets.
  func scrub(_ text: String) -> String {
    values.sorted { $0.utf8.count > $1.utf8.count }.reduce(text) { text, value in
      text.contains(value) ? text.replacing(value, with: Secrets.replacement) : text
    }
  }

  /// A body without the known secrets.
  func scrub(_ body: Data) -> Data {
    values.sorted { $0.utf8.count > $1.utf8.count }.reduce(body) { body, value in
      guard body.firstRange(of: value.utf8) != nil else { return body }
      return Data(body.replacing(Array(value.utf8), with: Array(Secrets.replacement.utf8)))
    }
  }

  /// A URL with user info and secret query values replaced.
  func redact(url: String) -> String {
    scrub(URLText(url).redacted)
  }

  /// Headers with the values of secret ones replaced, and URLs in the others redacted.
  func redact(_ headers: Headers) -> Headers {
    var redacted = Headers()
    for field in headers {
      let isSecret = Secrets.isSecret(name: field.name.rawValue)
      let plain = isSecret ? Secrets.replacement : redact(url: field.value)
      redacted.append(field.name, plain)
    }
    return redacted
  }
}
