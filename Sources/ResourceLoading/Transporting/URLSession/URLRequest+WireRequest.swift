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
    httpBody = try request.body?.data()
    cachePolicy = session.configuration.requestCachePolicy
    timeoutInterval = Self.timeoutInterval(
      request.idleTimeout?.seconds ?? session.configuration.timeoutIntervalForRequest)
    for field in request.headers { addValue(field.value, forHTTPHeaderField: field.name.rawValue) }
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

extension ResponseHead {
  /// The head of a response of a URLSession, which keeps no order: the fields are sorted by name.
  init(_ response: HTTPURLResponse) {
    status = Status(rawValue: response.statusCode)
    headers = Headers(
      response.allHeaderFields.map { name, value in
        Headers.Field(
          Headers.Name(rawValue: name as? String ?? "\(name.base)"),
          value as? String ?? "\(value)")
      }.sorted { $0.name.rawValue < $1.name.rawValue })
  }
}
