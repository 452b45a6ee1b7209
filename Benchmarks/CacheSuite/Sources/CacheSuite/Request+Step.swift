import Foundation
import ResourceLoading

extension Request {
  /// Creates the request of a step. The server finds the step by `Req-Num`.
  ///
  /// - Parameters:
  ///   - number: The number of the step, from 1.
  ///   - base: The URL of the server.
  ///   - token: The name of this run of the case.
  ///   - previous: The response to the step before.
  init(
    _ step: Step, number: Int, of id: String, at base: URL, token: String, after previous: Response?
  ) throws {
    var path = "test/\(token)"
    if let name = step["filename"]?.string { path += "/\(name)" }
    if let query = step["query_arg"]?.string { path += "?\(query)" }
    guard let url = URL(string: path, relativeTo: base)?.absoluteURL else {
      throw Failure.setup("no URL")
    }
    var headers = Headers()
    for header in step["request_headers"]?.array ?? [] {
      guard let pair = header.array, pair.count > 1, let name = pair[0].string else { continue }
      let value = step.resolved(pair[1], of: name, with: previous?.headers ?? [:])
      headers.append(Headers.Name(rawValue: name), value)
    }
    headers["Test-ID"] = id
    headers["Req-Num"] = "\(number)"
    let method = step["request_method"]?.string.map { Method(rawValue: $0) } ?? .get
    let body = step["request_body"]?.string.map { Body.text($0) }
    self.init(method, url: url, headers: headers, body: body)
    options.acceptedStatuses = .any
    // The suite waits for ten seconds. On a busy machine a stale response would then be used.
    options.timeout = .seconds(60)
    if step["redirect"]?.string == "manual" { options.redirects = .never }
    // The mode of `fetch` that revalidates.
    if step["cache"]?.string == "no-cache" { options.cachePolicy = .reload }
  }
}

extension Step {
  private static let dates: Set<String> = [
    "date", "expires", "last-modified", "if-modified-since", "if-unmodified-since",
  ]

  /// Returns the text of a header's value: a number means seconds from the server's time, and a
  /// place is relative to the requested URL if the step says so. `headers` are the server's.
  func resolved(_ value: JSONValue, of name: String, with headers: Headers) -> String {
    let name = name.lowercased()
    if let seconds = value.integer, Self.dates.contains(name),
      let now = headers.number("Server-Now")
    {
      let date = Date(timeIntervalSince1970: TimeInterval(now / 1000 + seconds))
      let isObsolete = self["rfc850date"]?.array?.contains { $0.string == name } == true
      return isObsolete ? date.obsoleteText : "\(HTTPDate(date))"
    }
    if ["location", "content-location"].contains(name), self["magic_locations"]?.bool == true {
      let base = headers.text("Server-Base-Url") ?? ""
      return value.headerText.isEmpty ? base : "\(base)/\(value.headerText)"
    }
    return value.headerText
  }
}

extension Date {
  /// The date as RFC 850 wrote it.
  fileprivate var obsoleteText: String {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = .gmt
    formatter.dateFormat = "EEEE, dd-MMM-yy HH:mm:ss 'GMT'"
    return formatter.string(from: self)
  }
}
