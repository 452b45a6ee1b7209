internal import Foundation
internal import ResourceLoading

/// A request in the form in which it is stored: without secrets, its body in pieces.
struct StoredRequest: Sendable {
  var method: Request.Method
  var target: String
  /// Whether the target is a path below the client's base URL.
  var isPath: Bool
  var headers: Headers
  var mediaType: MediaType?
  var options: StoredOptions
  var pieces: [Piece] = []

  enum Piece: Sendable, Hashable {
    case data(Data)
    /// A file in the outbox's folder.
    case owned(name: String, length: Int)
    /// A file of the caller's.
    case referenced(URL, length: Int)
  }

  /// The largest data of a body that is stored in the database.
  static let largestInlineData = 64 << 10
}

extension StoredRequest {
  /// Describes a request.
  ///
  /// - Parameter publicNames: Names that look like those of secrets, and aren't.
  /// - Throws: A `LoadError` of kind `invalidRequest` for a request that can't be stored, or holds a secret in its URL.
  init(_ request: Request, publicNames: Set<String>) throws {
    try request.query.check()
    guard request.destination == .memory else {
      throw LoadError(
        .invalidRequest, "the answer of a stored write can't be written to a file",
        advice: "Leave its destination in memory")
    }
    method = request.method
    options = StoredOptions(request.options)
    mediaType = request.body?.mediaType
    let isSecret: (String) -> Bool = { name in
      !publicNames.contains(name) && Secrets.isSecret(name: name, or: request.options.secretNames)
    }
    headers = Headers()
    for field in request.headers
    where field.name == .idempotencyKey || !isSecret(field.name.rawValue) {
      headers.append(field.name, field.value)
    }
    switch request.address {
    case .url: (isPath, target) = (false, request.url.absoluteString)
    case .path(let path):
      isPath = true
      target = request.query.items.isEmpty ? path.encoded : request.url.relativeString
    }
    try checkSecrets(isSecret)
  }

  /// Checks that the URL holds no secret.
  ///
  /// - Throws: A `LoadError` of kind `invalidRequest` for a query item that looks like a secret, a user name, or a
  ///   password.
  private func checkSecrets(_ isSecret: (String) -> Bool) throws {
    let parts = URLComponents(string: target)
    let name = parts?.queryItems?.first { isSecret($0.name) }?.name
    guard name != nil || parts?.user != nil || parts?.password != nil else { return }
    throw LoadError(
      .invalidRequest,
      name.map { "the query item \($0) looks like a secret, which isn't stored" }
        ?? "the URL holds a user name or a password, which isn't stored",
      advice: "Let the client add it when the request is sent, or name it in publicNames")
  }
}

extension StoredRequest {
  /// The placeholders in the target, the headers and the inline data.
  var placeholders: Set<OutboxPlaceholder> {
    var found = OutboxPlaceholder.all(in: Data(target.utf8))
    for field in headers { found.formUnion(OutboxPlaceholder.all(in: Data(field.value.utf8))) }
    for case .data(let data) in pieces { found.formUnion(OutboxPlaceholder.all(in: data)) }
    return found
  }

  /// Whether a segment of the path, escaped or not, is one that a server would resolve.
  var hasDotSegment: Bool {
    target.prefix { $0 != "?" }.split(separator: "/")
      .contains { [".", ".."].contains($0.removingPercentEncoding) }
  }

  /// Replaces placeholders by their values, which are JSON.
  mutating func resolve(_ values: [OutboxPlaceholder: Data]) {
    guard !values.isEmpty else { return }
    for (placeholder, json) in values {
      let (name, value) = (placeholder.description, PlaceholderValue(json))
      target = target.replacing(name, with: value.encoded)
      headers = Headers(headers.map { ($0.name, $0.value.replacing(name, with: value.text)) })
      pieces = pieces.map { piece in
        guard case .data(let data) = piece else { return piece }
        return .data(value.replacing(name, in: data, of: mediaType))
      }
    }
  }

  /// Returns the request to send.
  ///
  /// - Throws: A `LoadError` of kind `invalidRequest` if a file is gone or has another length, and of kind `store` for
  ///   a URL that can't be read.
  func request(in folder: OutboxFolder) throws -> Request {
    var request: Request
    if isPath {
      let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
      let query = parts.count > 1 ? QueryItems(encoded: String(parts[1])) : QueryItems()
      request = Request(method, RequestPath(encoded: String(parts[0])), query: query)
    } else {
      guard let url = URL(string: target) else {
        throw LoadError(.store, "the stored URL can't be read")
      }
      request = Request(method, url: url)
    }
    request.headers = headers
    request.options = options.options
    if !pieces.isEmpty || mediaType != nil {
      let body = WireBody(try pieces.map { try $0.segment(in: folder) })
      request.body = .pieces(body, as: mediaType)
    }
    return request
  }
}

extension StoredRequest.Piece {
  /// Returns the piece as it is sent.
  ///
  /// - Throws: A `LoadError` of kind `invalidRequest` if a file is gone or has another length.
  fileprivate func segment(in folder: OutboxFolder) throws -> WireBody.Segment {
    switch self {
    case .data(let data): .data(data)
    case .owned(let name, let length): try Self.file(folder.file(name), length)
    case .referenced(let url, let length): try Self.file(url, length)
    }
  }

  /// Returns a file as a piece of a body.
  ///
  /// - Throws: A `LoadError` of kind `invalidRequest` if the file is gone or has another length.
  private static func file(_ url: URL, _ length: Int) throws -> WireBody.Segment {
    let segment = try WireBody.Segment.file(url)
    guard segment.length == length else {
      throw LoadError(
        .invalidRequest, "the file \(url.lastPathComponent) has changed since it was added",
        advice: "Correct the entry, or have the outbox copy its files")
    }
    return segment
  }
}

/// The value of a placeholder, in the form for each place of a request.
struct PlaceholderValue {
  let json: Data

  init(_ json: Data) { self.json = json }

  var text: String {
    (try? JSONValue(parsing: json))?.string ?? String(decoding: json, as: UTF8.self)
  }

  /// The form for a path, a query or a form.
  var encoded: String { (("\(text)") as RequestPath).encoded }

  /// The form for a JSON string that contains more than the placeholder.
  private var insideJSON: String {
    let string = String(decoding: json, as: UTF8.self)
    return string.hasPrefix("\"") ? String(string.dropFirst().dropLast()) : string
  }

  /// The form for the text of an XML element, or for an attribute.
  private var insideXML: String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;").replacing("'", with: "&apos;")
  }

  /// Puts the value into a body, so that it can't become anything else there than a value.
  func replacing(_ name: String, in body: Data, of mediaType: MediaType?) -> Data {
    let type = mediaType?.essence ?? ""
    let replace = { (body: Data, text: String) in
      body.replacing(Data(name.utf8)) { _ in Data(text.utf8) }
    }
    if type.hasSuffix("json") {
      let whole = body.replacing(Data("\"\(name)\"".utf8)) { rest in
        // The name of a member is a string, also if the value is a number.
        rest.isAfterMemberName ? Data("\"\(insideJSON)\"".utf8) : json
      }
      return replace(whole, insideJSON)
    }
    if type.hasSuffix("xml") { return replace(body, insideXML) }
    return replace(body, type == MediaType.form.rawValue ? encoded : text)
  }
}

extension Headers {
  fileprivate init(_ fields: some Sequence<(Name, String)>) {
    self.init()
    for (name, value) in fields { append(name, value) }
  }
}

extension Data {
  /// Replaces some bytes wherever they stand.
  ///
  /// - Parameter new: Called with what follows.
  fileprivate func replacing(_ old: Data, with new: (_ rest: Data) -> Data) -> Data {
    var (result, rest) = (Data(), self)
    while let offset = rest.firstOffset(of: old) {
      result += rest.prefix(offset)
      rest = rest.dropFirst(offset + old.count)
      result += new(rest)
    }
    return result + rest
  }

  /// Whether a string before it is the name of a JSON object's member.
  fileprivate var isAfterMemberName: Bool {
    first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: ":")
  }
}

/// The options of a request, as JSON.
struct StoredOptions: Sendable, Hashable {
  var options: Request.Options

  init(_ options: Request.Options) { self.options = options }
}

extension StoredOptions: Codable {
  private struct Form: Codable {
    var timeout, attemptTimeout, idleTimeout: Duration?
    var throughput: Throughput?
    var statuses: [Int]?
    var bodySize, headerSize: Int?
    var redirects: Redirects?
    var isIdempotent: Bool?
    var cachePolicy: String?
    var priority: Int?
    var isForCellular, isForConstrained, isForExpensive: Bool?
    var secretNames, crossOriginHeaders: [String]?
  }

  private struct Throughput: Codable {
    var bytes: Int
    var duration: Duration
  }

  private struct Redirects: Codable {
    var limit: Int
    var staysAtOrigin: Bool
  }

  init(from decoder: any Decoder) throws {
    let form = try Form(from: decoder)
    options = Request.Options()
    options.timeout = form.timeout
    options.attemptTimeout = form.attemptTimeout
    options.idleTimeout = form.idleTimeout
    options.minimumThroughput = form.throughput.flatMap {
      $0.duration > .zero ? Request.Throughput(bytes: $0.bytes, per: $0.duration) : nil
    }
    options.acceptedStatuses = form.statuses.map(Self.statuses)
    options.maximumBodySize = form.bodySize
    options.maximumHeaderSize = form.headerSize
    options.redirects = form.redirects.map {
      var policy = Request.RedirectPolicy.follow(limit: $0.limit)
      policy.staysAtOrigin = $0.staysAtOrigin
      return policy
    }
    options.isIdempotent = form.isIdempotent
    options.cachePolicy = form.cachePolicy.flatMap { name in
      Self.cachePolicies.first { "\($0)" == name }
    }
    options.priority = form.priority.flatMap(Request.Priority.init(rawValue:))
    options.allowsCellularAccess = form.isForCellular
    options.allowsConstrainedNetworkAccess = form.isForConstrained
    options.allowsExpensiveNetworkAccess = form.isForExpensive
    options.secretNames = form.secretNames.map(Set.init)
    options.crossOriginHeaders = form.crossOriginHeaders.map {
      Set($0.map(Headers.Name.init(rawValue:)))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var form = Form()
    form.timeout = options.timeout
    form.attemptTimeout = options.attemptTimeout
    form.idleTimeout = options.idleTimeout
    form.throughput = options.minimumThroughput.map {
      Throughput(bytes: $0.bytes, duration: $0.duration)
    }
    form.statuses = options.acceptedStatuses.map(Self.bounds)
    form.bodySize = options.maximumBodySize
    form.headerSize = options.maximumHeaderSize
    form.redirects = options.redirects.map {
      Redirects(limit: $0.limit, staysAtOrigin: $0.staysAtOrigin)
    }
    form.isIdempotent = options.isIdempotent
    form.cachePolicy = options.cachePolicy.map { "\($0)" }
    form.priority = options.priority?.rawValue
    form.isForCellular = options.allowsCellularAccess
    form.isForConstrained = options.allowsConstrainedNetworkAccess
    form.isForExpensive = options.allowsExpensiveNetworkAccess
    form.secretNames = options.secretNames?.sorted()
    form.crossOriginHeaders = options.crossOriginHeaders?.map(\.rawValue).sorted()
    try form.encode(to: encoder)
  }

  private static let cachePolicies: [Request.CachePolicy] = [
    .standard, .freshOnly, .reload, .networkOnly, .cacheFirst, .cacheOnly, .staleWhileRevalidating,
  ]

  /// Returns the bounds of the ranges of accepted statuses: each beginning, followed by its end.
  private static func bounds(_ statuses: Request.AcceptedStatuses) -> [Int] {
    let isAccepted = { (code: Int) in statuses.contains(Status(rawValue: code)) }
    return (0...1000).filter { isAccepted($0) != ($0 > 0 && isAccepted($0 - 1)) }
  }

  private static func statuses(_ bounds: [Int]) -> Request.AcceptedStatuses {
    stride(from: 0, to: bounds.count - 1, by: 2).reduce([]) { statuses, index in
      let (start, end) = (bounds[index], bounds[index + 1])
      return start < end ? statuses.union(Request.AcceptedStatuses(start..<end)) : statuses
    }
  }
}
