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
  var options: Request.Options
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
    options = request.options
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
  /// The names of the files in the outbox's folder.
  var ownedFiles: [String] {
    pieces.compactMap { if case .owned(let name, _) = $0 { name } else { nil } }
  }

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
      headers = headers.reduce(into: Headers()) {
        $0.append($1.name, $1.value.replacing(name, with: value.text))
      }
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
    request.options = options
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
  /// The fields as lists of a name and a value, for JSON.
  var pairs: [[String]] { map { [$0.name.rawValue, $0.value] } }

  /// Reads such lists; `nil` if one has another length.
  init?(pairs: [[String]]) {
    self.init()
    for pair in pairs {
      guard pair.count == 2 else { return nil }
      append(Name(rawValue: pair[0]), pair[1])
    }
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
struct StoredOptions: Codable {
  var timeout, attemptTimeout, idleTimeout: Duration?
  var throughput: Throughput?
  /// The bounds of the ranges of accepted statuses: each beginning, followed by its end.
  var statuses: [Int]?
  var bodySize, headerSize: Int?
  var redirects: Redirects?
  var isIdempotent: Bool?
  var cachePolicy: String?
  var priority: Int?
  var isForCellular, isForConstrained, isForExpensive: Bool?
  var secretNames, crossOriginHeaders: [String]?

  struct Throughput: Codable {
    var bytes: Int
    var duration: Duration
  }

  struct Redirects: Codable {
    var limit: Int
    var staysAtOrigin: Bool
  }
}

extension StoredOptions {
  init(_ options: Request.Options) {
    timeout = options.timeout
    attemptTimeout = options.attemptTimeout
    idleTimeout = options.idleTimeout
    throughput = options.minimumThroughput.map {
      Throughput(bytes: $0.bytes, duration: $0.duration)
    }
    statuses = options.acceptedStatuses.map { statuses in
      let isAccepted = { (code: Int) in statuses.contains(Status(rawValue: code)) }
      return (0...1000).filter { isAccepted($0) != ($0 > 0 && isAccepted($0 - 1)) }
    }
    bodySize = options.maximumBodySize
    headerSize = options.maximumHeaderSize
    redirects = options.redirects.map {
      Redirects(limit: $0.limit, staysAtOrigin: $0.staysAtOrigin)
    }
    isIdempotent = options.isIdempotent
    cachePolicy = options.cachePolicy.map { "\($0)" }
    priority = options.priority?.rawValue
    isForCellular = options.allowsCellularAccess
    isForConstrained = options.allowsConstrainedNetworkAccess
    isForExpensive = options.allowsExpensiveNetworkAccess
    secretNames = options.secretNames?.sorted()
    crossOriginHeaders = options.crossOriginHeaders?.map(\.rawValue).sorted()
  }

  var options: Request.Options {
    var options = Request.Options()
    options.timeout = timeout
    options.attemptTimeout = attemptTimeout
    options.idleTimeout = idleTimeout
    options.minimumThroughput = throughput.flatMap {
      $0.duration > .zero ? Request.Throughput(bytes: $0.bytes, per: $0.duration) : nil
    }
    options.acceptedStatuses = statuses.map { bounds in
      stride(from: 0, to: bounds.count - 1, by: 2).reduce([]) { statuses, index in
        let (start, end) = (bounds[index], bounds[index + 1])
        return start < end ? statuses.union(Request.AcceptedStatuses(start..<end)) : statuses
      }
    }
    options.maximumBodySize = bodySize
    options.maximumHeaderSize = headerSize
    options.redirects = redirects.map {
      var policy = Request.RedirectPolicy.follow(limit: $0.limit)
      policy.staysAtOrigin = $0.staysAtOrigin
      return policy
    }
    options.isIdempotent = isIdempotent
    options.cachePolicy = cachePolicy.flatMap { name in
      Self.cachePolicies.first { "\($0)" == name }
    }
    options.priority = priority.flatMap(Request.Priority.init(rawValue:))
    options.allowsCellularAccess = isForCellular
    options.allowsConstrainedNetworkAccess = isForConstrained
    options.allowsExpensiveNetworkAccess = isForExpensive
    options.secretNames = secretNames.map(Set.init)
    options.crossOriginHeaders = crossOriginHeaders.map {
      Set($0.map(Headers.Name.init(rawValue:)))
    }
    return options
  }

  private static let cachePolicies: [Request.CachePolicy] = [
    .standard, .freshOnly, .reload, .networkOnly, .cacheFirst, .cacheOnly, .staleWhileRevalidating,
  ]
}
