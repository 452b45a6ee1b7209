import Foundation
import ResourceLoading

// What is expected of the response to a step.
extension Step {
  /// - Parameters:
  ///   - number: The number of the step, from 1.
  ///   - token: The body that the server sends if the step has none.
  func check(_ response: Response, number: Int, token: String) throws {
    try checkRequests(in: response)
    try checkType(of: response, number)
    try checkStatus(of: response, number)
    try checkHeaders(of: response, number)
    try checkMissingHeaders(of: response, number)
    try checkBody(of: response, number, token)
  }

  /// The server must not have had the same request twice.
  private func checkRequests(in response: Response) throws(Failure) {
    let numbers = response.headers.text("Request-Numbers")?.split(separator: " ") ?? []
    try ensure(numbers.count == Set(numbers).count, "a request was repeated")
  }

  private func checkType(of response: Response, _ number: Int) throws(Failure) {
    let answered = response.headers.number("Server-Request-Count")
    switch self["expected_type"]?.string {
    case "cached" where response.status == .notModified && answered == nil: break
    case "cached":
      try expect(
        answered.map { $0 < number } ?? false, "expected_type",
        "response \(number) doesn't come from the cache")
    case "not_cached":
      try expect(answered == number, "expected_type", "response \(number) comes from the cache")
    default: break
    }
  }

  private func checkStatus(of response: Response, _ number: Int) throws(Failure) {
    let status = response.status.rawValue
    let text = "the status of response \(number) is \(status)"
    if let expected = self["expected_status"] {
      guard let expected = expected.integer else { return }
      try expect(status == expected, "expected_status", "\(text), not \(expected)")
    } else if let sent = self["response_status"]?.array?.first?.integer {
      try ensure(status == sent, "\(text), not \(sent)")
    } else if status == 999 {
      // The server's answer to a request that should have had conditions.
      try expect(false, "expected_type", "request \(number) has no condition that holds")
    } else {
      try ensure(status == 200, "\(text), not 200")
    }
  }

  private func checkHeaders(of response: Response, _ number: Int) throws {
    for header in self["expected_response_headers"]?.array ?? [] {
      let parts = header.array ?? [header]
      guard let name = parts.first?.string else { throw Failure.setup("a header has no name") }
      let value = response.headers.text(name)
      let text = "\(name) of response \(number) is \(value.map { "'\($0)'" } ?? "missing")"
      let (isMet, wanted) = meets(parts, value, response.headers)
      try expect(isMet, "expected_response_headers", "\(text)\(wanted)")
    }
  }

  /// Whether a header is as expected: there at all, with a value, equal to another header, or
  /// greater than a number.
  private func meets(
    _ parts: [JSONValue], _ value: String?, _ headers: Headers
  ) -> (isMet: Bool, wanted: String) {
    switch (parts.count, parts.count > 1 ? parts[1].string : nil) {
    case (1, _): return (value != nil, "")
    case (3..., "="?):
      let other = parts[2].string.flatMap { headers.text($0) }
      return (value != nil && value == other, ", not \(other ?? "nothing")")
    case (3..., ">"?):
      let number = value.flatMap { Int($0) }
      let least = parts[2].integer ?? .max
      return (number.map { $0 > least } ?? false, ", not greater than \(least)")
    default:
      let wanted = resolved(parts[1], of: parts[0].headerText, with: headers)
      return (value == wanted, ", not '\(wanted)'")
    }
  }

  /// A header that must not be there, or not with a text in it. The suite's own client never finds
  /// the second of these broken, because it looks for the header in the wrong place.
  private func checkMissingHeaders(of response: Response, _ number: Int) throws {
    for header in self["expected_response_headers_missing"]?.array ?? [] {
      let parts = header.array ?? [header]
      guard let name = parts.first?.string else { throw Failure.setup("a header has no name") }
      guard let value = response.headers.text(name) else { continue }
      let isMet = parts.count > 1 && !value.contains(parts[1].headerText)
      try expect(
        isMet, "expected_response_headers_missing", "\(name) of response \(number) is '\(value)'")
    }
  }

  private func checkBody(of response: Response, _ number: Int, _ token: String) throws {
    if case .bool(false)? = self["check_body"] { return }
    let body = String(decoding: response.body, as: UTF8.self)
    let text = "the body of response \(number) is '\(body.prefix(40))'"
    if let expected = self["expected_response_text"] {
      guard let expected = expected.string else { return }
      try expect(body == expected, "expected_response_text", "\(text), not '\(expected)'")
    } else if let sent = self["response_body"]?.string {
      try ensure(body == sent, "\(text), not '\(sent)'")
    } else if ![204, 304].contains(response.status.rawValue),
      self["request_method"]?.string != "HEAD"
    {
      try ensure(body == token, "\(text), not '\(token)'")
    }
  }
}
