import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension URLRequest {
  /// The request for a data task of a session, its whole body in memory: a body stream makes `URLSession` send
  /// two kinds of framing on Linux, and one that waits stops all other sessions there.
  ///
  /// - Throws: `LoadError` of kind `invalidRequest` if a file of the body can't be read.
  init(_ request: WireRequest, in session: URLSession) throws {
    self.init(url: request.url)
    // It is GET to begin with; setting it costs as much as a header.
    if request.method != .get { httpMethod = request.method.rawValue }
    if let body = request.body { httpBody = try body.data() }
    let configuration = session.configuration
    cachePolicy = configuration.requestCachePolicy
    timeoutInterval = Self.timeoutInterval(
      request.idleTimeout?.seconds ?? configuration.timeoutIntervalForRequest)
    if configuration.httpAdditionalHeaders?.isEmpty ?? true {
      // One by one they would be checked once more on Linux, at a hundredth of a load each.
      allHTTPHeaderFields = request.headers.fieldsByName
    } else {
      // In the spelling that URLSession likes: in another one the session's headers may replace them.
      for field in request.headers {
        addValue(field.value, forHTTPHeaderField: field.name.rawValue)
      }
    }
    // The session's cookies would replace these.
    if request.headers[.cookie] != nil { httpShouldHandleCookies = false }
  }

  /// Seconds that URLSession understands: on Linux it cuts fractions off, so that half a second becomes
  /// none, and `infinity` brings the process down.
  private static func timeoutInterval(_ seconds: TimeInterval) -> TimeInterval {
    seconds > 0 && seconds < longestTimeout ? seconds.rounded(.up) : longestTimeout
  }

  /// A week in seconds, which stands for no limit.
  static let longestTimeout: TimeInterval = 604_800
}

extension Headers {
  /// The values by their names, each name in the spelling that comes first.
  fileprivate var fieldsByName: [String: String] {
    var values: [String: String] = [:]
    for (index, field) in enumerated()
    where !self[..<index].contains(where: { $0.name == field.name }) {
      values[field.name.rawValue] = self[field.name]
    }
    return values
  }
}

extension ResponseHead {
  /// The head of a response of a URLSession, which keeps no order: the fields are sorted by name.
  init(_ response: HTTPURLResponse) {
    status = Status(rawValue: response.statusCode)
    headers = Headers(
      response.allHeaderFields.map { name, value in
        Headers.Field(Headers.Name(rawValue: Self.text(name.base)), Self.text(value))
      }.sorted { $0.name.rawValue < $1.name.rawValue })
  }

  /// What is a string, as a rule. Comparing types takes a tenth of what asking the runtime to cast does.
  private static func text(_ value: Any) -> String {
    func text<Value>(_ value: Value) -> String {
      Value.self == String.self ? unsafeBitCast(value, to: String.self) : "\(value)"
    }
    return _openExistential(value, do: text)
  }
}
