public import Foundation

/// What is asked of a server, as a value: method, address, query, headers, body and options.
///
/// Making one never fails and never touches the network. What can't be sent (a header name with a line
/// break, a `GET` with a body, a URL that isn't `http` or `https`) is refused with a clear ``LoadError``
/// when it is loaded, before anything is sent.
public struct Request: Sendable, Hashable {
  /// The method.
  public var method: Method

  /// Where it goes: an absolute URL, or a path below a client's base URL.
  public var address: Address

  /// The query items that are appended to the address's own query.
  public var query: Query

  /// The headers, as they are sent.
  public var headers: Headers

  /// The body; `nil` sends none.
  public var body: Body?

  /// Where the body of an accepted response goes.
  public var destination = Destination.memory

  /// What this request wants otherwise than its loader.
  public var options: Options

  /// Makes a request of an absolute URL.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - url: An absolute `http` or `https` URL; its own query is kept as it is. User info in it becomes
  ///     a `Basic` credential, unless `headers` has an `Authorization` already.
  ///   - query: Items that are appended to the URL's query.
  ///   - headers: The headers.
  ///   - body: The body.
  public init(
    _ method: Method = .get, url: URL, query: Query = [:], headers: Headers = [:],
    body: Body? = nil
  ) {
    self.init(method, to: .url(url), query: query, headers: headers, body: body)
  }

  /// Makes a request of a path below a client's base URL.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - path: The path; interpolated values become exactly one segment each.
  ///   - query: The query items.
  ///   - headers: The headers.
  ///   - body: The body.
  public init(
    _ method: Method = .get, _ path: Path, query: Query = [:], headers: Headers = [:],
    body: Body? = nil
  ) {
    self.init(method, to: .path(path), query: query, headers: headers, body: body)
  }

  private init(
    _ method: Method, to address: Address, query: Query, headers: Headers, body: Body?
  ) {
    self.method = method
    self.address = address
    self.query = query
    self.headers = headers
    self.body = body
    self.options = Options()
  }
}

extension Request {
  /// Where a request goes.
  public enum Address: Sendable, Hashable {
    /// An absolute URL.
    case url(URL)
    /// A path below the base URL of whoever loads it.
    case path(Path)
  }

  /// The URL of the request, its query included; relative if the request only has a path.
  public var url: URL {
    switch address {
    case .url(let url): query.appended(to: url)
    case .path(let path): query.appended(to: path.relativeURL)
    }
  }
}
