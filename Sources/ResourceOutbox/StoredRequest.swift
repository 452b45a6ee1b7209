internal import Foundation
internal import ResourceLoading
internal import ResourcePrimitives
import ResourceStore

/// A request in the form in which it is stored: without secrets, its body in pieces.
struct StoredRequest: Sendable {
  var method: Request.Method
  var target: String
  /// Whether the target is a path below the client's base URL.
  var isPath: Bool
  var headers: Headers
  var mediaType: MediaType?
  var options: Request.Options
  /// How the body is uploaded; `nil` in one request.
  var upload: UploadOptions?
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
  /// Describes a request. `publicNames` are names of credentials that hold no secret.
  init(_ request: Request, publicNames: Set<String>) throws {
    try request.query.check()
    guard request.destination == .memory else {
      throw LoadError(
        .invalidRequest, "the answer of a stored write can't be written to a file",
        advice: "Leave its destination in memory")
    }
    method = request.method
    (options, upload) = (request.options, request.upload)
    mediaType = request.body?.mediaType
    let isSecret: (String) -> Bool = { name in
      !publicNames.contains(name)
        && Secrets.isCredential(name: name, or: request.options.secretNames)
    }
    headers = Headers()
    for field in request.headers
    where field.name == .idempotencyKey || !isSecret(field.name.rawValue) {
      headers.append(field.name, field.value)
    }
    switch request.address {
    case .url: (isPath, target) = (false, request.url.absoluteString)
    case .path(let path):
      // A path may have a query of its own.
      let relative = request.url.relativeString
      (isPath, target) = (true, relative.includes("?") ? relative : path.encoded)
    }
    // A fragment is never sent, and may hold tokens.
    target = String(target.prefix { $0 != "#" })
    try checkSecrets(isSecret)
  }

  /// Checks that the URL holds no secret.
  private func checkSecrets(_ isSecret: (String) -> Bool) throws {
    let parts = URLComponents(string: target)
    let name = parts?.queryItems?.first { isSecret($0.name) }?.name
    guard name != nil || parts?.user != nil || parts?.password != nil else { return }
    throw LoadError(
      .invalidRequest,
      name.map { "the query item \($0) has the name of a credential, which isn't stored" }
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
      .contains { [".", ".."].contains($0.percentDecoded) }
  }

  /// Replaces placeholders by their values. `defaultType` is the media type of a body that has none.
  mutating func resolve(
    _ values: [OutboxPlaceholder: PlaceholderValue], defaultType: String?
  ) {
    let type = headers[.contentType] ?? mediaType?.rawValue ?? defaultType
    for (placeholder, value) in values {
      let name = placeholder.description
      target = target.replacing(name, with: value.encoded)
      headers = headers.reduce(into: Headers()) {
        $0.append($1.name, $1.value.replacing(name, with: value.text))
      }
      pieces = pieces.map { piece in
        guard case .data(let data) = piece else { return piece }
        return .data(value.replacing(name, in: data, of: type.map { MediaType(rawValue: $0) }))
      }
    }
  }

  /// The URL, as far as it is known before the client completes it.
  func url(below base: URL?) -> URL? { isPath ? base : URL(string: target) }

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
    (request.options, request.upload) = (options, upload)
    if upload?.change == .beginsAnew, case .referenced(let url, _)? = pieces.first,
      pieces.count == 1
    {
      request.body = .file(url, as: mediaType)
    } else if !pieces.isEmpty || mediaType != nil || upload != nil {
      let body = WireBody(try pieces.map { try $0.segment(in: folder) })
      request.body = .pieces(body, as: mediaType)
    }
    return request
  }
}

extension StoredRequest.Piece {
  fileprivate func segment(in folder: OutboxFolder) throws -> WireBody.Segment {
    switch self {
    case .data(let data): .data(data)
    case .owned(let name, let length): try Self.file(folder.file(name), length)
    case .referenced(let url, let length): try Self.file(url, length)
    }
  }

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
