public import Foundation

/// A request as a value: method, address, query, headers, body and options.
///
/// Creating one never fails and never uses the network. A request that can't be sent (with a line
/// break in a header name, a body in a `GET`, a URL that isn't `http` or `https`) fails with a
/// clear ``LoadError`` when it is loaded, before anything is sent.
public struct Request: Sendable, Hashable {
  /// The method.
  public var method: Method

  /// The address: an absolute URL, or a path below a client's base URL.
  public var address: Address

  /// The query items that are appended to the address's own query.
  public var query: QueryItems

  /// The headers, as they are sent.
  public var headers: Headers

  /// The body; `nil` sends none.
  public var body: Body?

  /// The destination of an accepted response's body.
  public var destination = Destination.memory

  /// How the body is uploaded if it is to be resumed after an interruption; `nil`, the default, to
  /// send it in one request that can't be. See ``upload(_:file:as:resuming:_:)``.
  public var upload: UploadOptions?

  /// The options with which this request overrides its loader.
  public var options: Options

  /// The path as it was written.
  package let template: PathTemplate

  /// Whether it goes to another origin than that of the load, as pages, uploads and mirrors may, or
  /// that origin has chosen where it goes. Nothing of the client is added to it.
  var hasLeftOrigin = false

  /// Creates a request for an absolute URL.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - url: An absolute `http` or `https` URL; its own query is kept as it is. User info in it
  ///     becomes a `Basic` credential, unless `headers` has an `Authorization` already.
  ///   - query: Items that are appended to the URL's query.
  ///   - headers: The headers.
  ///   - body: The body.
  public init(
    _ method: Method = .get, url: URL, query: QueryItems = [:], headers: Headers = [:],
    body: Body? = nil
  ) {
    self.init(method, to: .url(url), as: .unknown, query: query, headers: headers, body: body)
  }

  /// Creates a request for a path below a client's base URL.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - path: The path; each interpolated value becomes exactly one segment. The query of a
  ///     literal becomes query items, and a literal that begins with a scheme is an absolute URL.
  ///   - query: The query items, behind those of the path.
  ///   - headers: The headers.
  ///   - body: The body.
  public init(
    _ method: Method = .get, _ path: RequestPath, query: QueryItems = [:], headers: Headers = [:],
    body: Body? = nil
  ) {
    let (address, own) = path.address
    self.init(
      method, to: address, as: path.template, query: QueryItems(own.items + query.items),
      headers: headers, body: body)
  }

  package init(
    _ method: Method, to address: Address, as template: PathTemplate, query: QueryItems,
    headers: Headers, body: Body?
  ) {
    self.method = method
    self.address = address
    self.template = template
    self.query = query
    self.headers = headers
    self.body = body
    self.options = Options()
  }
}

extension Request {
  /// The address of a request.
  public enum Address: Sendable, Hashable {
    /// An absolute URL.
    case url(URL)
    /// A path below the loader's base URL.
    case path(RequestPath)
  }

  /// The URL of the request, its query included; relative if the request only has a path.
  public var url: URL {
    switch address {
    case .url(let url): query.appended(to: url)
    case .path(let path):
      QueryItems(QueryItems(encoded: path.query).items + query.items).appended(to: path.relativeURL)
    }
  }
}

// Disfavoured, so that a literal is a path even in a program that makes `URL` a literal, too.
extension Request {
  /// A `GET` of an absolute URL.
  @_disfavoredOverload
  public static func get(_ url: URL) -> Request { Request(.get, url: url) }
  /// A `HEAD` of an absolute URL.
  @_disfavoredOverload
  public static func head(_ url: URL) -> Request { Request(.head, url: url) }
  /// A `QUERY` of an absolute URL; the query is the body.
  @_disfavoredOverload
  public static func query(_ url: URL) -> Request { Request(.query, url: url) }
  /// A `POST` to an absolute URL.
  @_disfavoredOverload
  public static func post(_ url: URL) -> Request { Request(.post, url: url) }
  /// A `PUT` to an absolute URL.
  @_disfavoredOverload
  public static func put(_ url: URL) -> Request { Request(.put, url: url) }
  /// A `PATCH` of an absolute URL.
  @_disfavoredOverload
  public static func patch(_ url: URL) -> Request { Request(.patch, url: url) }
  /// A `DELETE` of an absolute URL.
  @_disfavoredOverload
  public static func delete(_ url: URL) -> Request { Request(.delete, url: url) }
}

extension Request {
  /// A `GET` of a path below a client's base URL.
  public static func get(_ path: RequestPath) -> Request { Request(.get, path) }
  /// A `HEAD` of a path below a client's base URL.
  public static func head(_ path: RequestPath) -> Request { Request(.head, path) }
  /// A `QUERY` of a path below a client's base URL; the query is the body.
  public static func query(_ path: RequestPath) -> Request { Request(.query, path) }
  /// A `POST` to a path below a client's base URL.
  public static func post(_ path: RequestPath) -> Request { Request(.post, path) }
  /// A `PUT` to a path below a client's base URL.
  public static func put(_ path: RequestPath) -> Request { Request(.put, path) }
  /// A `PATCH` of a path below a client's base URL.
  public static func patch(_ path: RequestPath) -> Request { Request(.patch, path) }
  /// A `DELETE` of a path below a client's base URL.
  public static func delete(_ path: RequestPath) -> Request { Request(.delete, path) }
}

extension Request {
  /// A request method; see ``RequestMethod``.
  public typealias Method = RequestMethod
}

extension Request {
  /// The destination of an accepted response's body.
  public enum Destination: Sendable, Hashable {
    /// Into memory: ``Response/body``.
    case memory
    /// Into a file: ``Response/file``. See ``Resource/download(_:to:_:)``.
    case file(URL, DownloadOptions)
  }
}
