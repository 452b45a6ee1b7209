public import Foundation

// Each of these returns a changed copy, so that they can be chained.

extension Request {
  /// Adds query items behind those that are there.
  ///
  /// - Parameter query: The items; a literal takes values of any `Encodable` type.
  public func query(_ query: Query) -> Request {
    changed { $0.query.append(query) }
  }

  /// Adds parameters in a style behind the query items that are there.
  ///
  /// - Parameters:
  ///   - parameters: The named values.
  ///   - style: How nested values, arrays, dates and the like are written.
  public func query(_ parameters: Parameters, style: Parameters.Style) -> Request {
    query(Query(parameters, style: style))
  }

  /// Adds the values of any `Encodable` type behind the query items that are there.
  ///
  /// - Parameters:
  ///   - value: The value; it is encoded at once. If that fails, loading the request does.
  ///   - style: How nested values, arrays, dates and the like are written.
  public func query(encoding value: some Encodable, style: Parameters.Style = .init()) -> Request {
    query(Query(encoding: value, style: style))
  }

  /// Sets a header, in the place of those with its name.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - value: The value; `nil` removes the header.
  public func header(_ name: Headers.Name, _ value: String?) -> Request {
    changed { $0.headers[name] = value }
  }

  /// Sets headers, in the place of those with their names.
  ///
  /// - Parameter headers: The headers; a name that stands in them more than once is sent as often.
  public func headers(_ headers: Headers) -> Request {
    changed { request in
      for field in headers { request.headers[field.name] = nil }
      for field in headers { request.headers.append(field.name, field.value) }
    }
  }

  /// Asks for media types.
  ///
  /// - Parameter mediaTypes: What is welcome, the best first; it becomes the `Accept` header.
  public func accept(_ mediaTypes: MediaType...) -> Request {
    header(.accept, mediaTypes.map(\.rawValue).joined(separator: ", "))
  }

  /// Puts the request's path below a base URL, for routers that know their own. A request of an absolute URL
  /// stays as it is.
  ///
  /// - Parameter baseURL: An absolute URL; its path and query are kept, and the request's path is appended.
  ///   If that isn't possible, since the path climbs out of it or the URL isn't absolute, the request keeps
  ///   its path, and loading it fails.
  public func below(_ baseURL: URL) -> Request {
    guard case .path(let path) = address, let url = try? path.appended(to: baseURL) else {
      return self
    }
    return changed { $0.address = .url(url) }
  }

  func changed(_ change: (inout Request) -> Void) -> Request {
    var copy = self
    change(&copy)
    return copy
  }
}
