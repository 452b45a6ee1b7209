import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension URLRequest {
  /// The request for a task of a session, without a body: ``TaskBody`` has it.
  ///
  /// - Parameters:
  ///   - request: What to send.
  ///   - session: What sends it.
  ///   - idleTimeout: How long nothing may arrive; `nil` leaves it to the session.
  init(_ request: WireRequest, in session: URLSession, idleTimeout: Duration? = nil) {
    self.init(url: request.url)
    // It is GET to begin with; setting it costs as much as a header.
    if request.method != .get { httpMethod = request.method.rawValue }
    let configuration = session.configuration
    cachePolicy = configuration.requestCachePolicy
    timeoutInterval = Self.timeoutInterval(
      idleTimeout?.seconds ?? configuration.timeoutIntervalForRequest)
    let additional = configuration.httpAdditionalHeaders ?? [:]
    if additional.isEmpty {
      // One by one they would be checked once more on Linux, at a hundredth of a load each.
      allHTTPHeaderFields = request.headers.fieldsByName
    } else {
      // In the spelling that URLSession likes: in another one the session's headers may replace them.
      let said = Set(additional.keys.compactMap { ($0 as? String)?.lowercased() })
      for field in request.headers {
        if field.isImplied, said.contains(field.name.rawValue.lowercased()) { continue }
        addValue(field.value, forHTTPHeaderField: field.name.rawValue)
      }
    }
    #if !canImport(FoundationNetworking)
      let access = request.networkAccess
      if let isAllowed = access.cellular { allowsCellularAccess = isAllowed }
      if let isAllowed = access.constrained { allowsConstrainedNetworkAccess = isAllowed }
      if let isAllowed = access.expensive { allowsExpensiveNetworkAccess = isAllowed }
    #endif
    // The session's cookies would replace these.
    if request.headers[.cookie] != nil { httpShouldHandleCookies = false }
  }

  /// Seconds that URLSession understands: on Linux it cuts fractions off, so that half a second becomes
  /// none, and `infinity` brings the process down.
  private static func timeoutInterval(_ seconds: TimeInterval) -> TimeInterval {
    seconds > 0 && seconds < longestTimeout ? seconds.rounded(.up) : noTimeout
  }

  /// A week in seconds: as much counts as no limit.
  private static let longestTimeout: TimeInterval = 604_800

  /// Seconds that stand for no limit.
  ///
  /// On Linux every line of a head and every piece of a body starts a task's timer anew, and most of that is
  /// waking the thread that keeps all timers. So these are more than it counts to, and it isn't woken.
  static var noTimeout: TimeInterval {
    #if canImport(FoundationNetworking)
      10_000_000_000_000
    #else
      longestTimeout
    #endif
  }
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

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension ResponseHead {
  /// The head of a response of a URLSession, which keeps no order: the fields are sorted by name. It joins
  /// fields of one name by commas; cookies, which can't be read so, are told apart again.
  init(_ response: HTTPURLResponse) {
    status = Status(rawValue: response.statusCode)
    let fields = response.fields.sorted { $0.name.rawValue < $1.name.rawValue }
    headers = Headers(fields.flatMap { $0.name == .setCookie ? Self.cookies($0) : [$0] })
  }

  /// The head of the answer to a task.
  ///
  /// - Throws: `LoadError` if it isn't clear how long the body is.
  init(_ response: HTTPURLResponse, of task: URLSessionTask?) throws(LoadError) {
    self.init(response)
    guard status.hasBody, task?.originalRequest?.httpMethod != "HEAD" else { return }
    try checkLength()
  }

  /// A cookie begins behind a comma where a name and an equals sign stand; dates have commas, too.
  private static func cookies(_ field: Headers.Field) -> [Headers.Field] {
    var (cookies, current) = ([String](), "")
    for piece in field.value.parts(between: ",", omittingEmpty: false) {
      let name = piece.unicodeScalars.prefix { $0 != "=" && $0 != ";" }
      let isCookie =
        piece.unicodeScalars[name.endIndex...].first == "="
        && Substring(name).trimmingSpaces().isToken
      if isCookie || current.isEmpty {
        if !current.isEmpty { cookies.append(current) }
        current = String(piece)
      } else {
        current += "," + piece
      }
    }
    return (cookies + [current]).map { Headers.Field(field.name, $0.trimmingSpaces()) }
  }
}

extension HTTPURLResponse {
  /// The header fields, in no order.
  fileprivate var fields: [Headers.Field] {
    allHeaderFields.map { name, value in
      Headers.Field(
        Headers.Name(rawValue: name.base as? String ?? "\(name.base)"),
        value as? String ?? "\(value)")
    }
  }
}
