public import Foundation

// Each of these returns a changed copy, so that they can be chained.

extension Request {
  /// Appends query items.
  ///
  /// - Parameter query: The items; a literal takes values of any `Encodable` type.
  public func query(_ query: QueryItems) -> Request {
    changed { $0.query.append(query) }
  }

  /// Appends query items of a literal whose nested literals have values of several types.
  ///
  /// - Parameter query: The items.
  @_disfavoredOverload @_documentation(visibility: internal)
  public func query(_ query: NestedParameters) -> Request {
    self.query(query.parameters, style: .init())
  }

  /// Appends parameters in a style to the query items.
  ///
  /// - Parameters:
  ///   - parameters: The named values.
  ///   - style: How nested values, arrays, dates and the like are written.
  public func query(_ parameters: Parameters, style: Parameters.Style) -> Request {
    query(QueryItems(parameters, style: style))
  }

  /// Appends the values of any `Encodable` type to the query items.
  ///
  /// - Parameters:
  ///   - value: The value, which is encoded at once. If that fails, loading the request fails.
  ///   - style: How nested values, arrays, dates and the like are written.
  public func query(encoding value: some Encodable, style: Parameters.Style = .init()) -> Request {
    query(Parameters(encoding: value), style: style)
  }

  /// Sets a header, replacing those of its name.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - value: The value; `nil` removes the header.
  public func header(_ name: Headers.Name, _ value: String?) -> Request {
    changed { $0.headers[name] = value }
  }

  /// Sets headers, replacing those of their names.
  ///
  /// - Parameter headers: The headers; a repeated name is sent repeatedly.
  public func headers(_ headers: Headers) -> Request {
    changed { request in
      for field in headers { request.headers[field.name] = nil }
      for field in headers { request.headers.append(field.name, field.value) }
    }
  }

  /// Sets the accepted media types.
  ///
  /// - Parameter mediaTypes: The media types for the `Accept` header, the preferred ones first.
  public func accept(_ mediaTypes: MediaType...) -> Request {
    header(.accept, mediaTypes.map(\.rawValue).joined(separator: ", "))
  }

  /// Appends the request's path to a base URL, for routers that have their own. A request with an
  /// absolute URL is unchanged.
  ///
  /// - Parameter baseURL: An absolute URL, whose path and query are kept. If the path leads out of
  ///   it with `..`, or the URL isn't absolute, the request keeps its path, and loading it fails.
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

extension Request {
  /// Sets the body.
  ///
  /// - Parameter body: The body; `nil` sends none.
  public func body(_ body: Body?) -> Request {
    changed { $0.body = body }
  }

  /// Sends JSON.
  ///
  /// - Parameters:
  ///   - value: The value to encode when the request is prepared.
  ///   - encoder: The encoder; `nil` for the loader's.
  public func json(_ value: some Encodable & Sendable, encoder: JSONEncoder? = nil) -> Request {
    body(.json(value, encoder: encoder))
  }

  /// Sends JSON from a literal, whose values may have several types: `.json(["text": text, "stars":
  /// 5])`. `nil` is sent as `null`.
  ///
  /// - Parameters:
  ///   - parameters: The members of the object.
  ///   - encoder: The encoder; `nil` for the loader's.
  public func json(_ parameters: Parameters, encoder: JSONEncoder? = nil) -> Request {
    body(.json(parameters, encoder: encoder))
  }

  /// Sends JSON from a literal whose nested literals have values of several types.
  ///
  /// - Parameters:
  ///   - parameters: The members of the object.
  ///   - encoder: The encoder; `nil` for the loader's.
  @_disfavoredOverload @_documentation(visibility: internal)
  public func json(_ parameters: NestedParameters, encoder: JSONEncoder? = nil) -> Request {
    json(parameters.parameters, encoder: encoder)
  }

  /// Sends named values as `application/x-www-form-urlencoded`.
  ///
  /// - Parameters:
  ///   - parameters: The values.
  ///   - style: How nested values, arrays, dates and the like are written.
  public func form(_ parameters: Parameters, style: Parameters.Style = .init()) -> Request {
    body(.form(parameters, style: style))
  }

  /// Sends a form from a literal whose nested literals have values of several types.
  ///
  /// - Parameters:
  ///   - parameters: The values.
  ///   - style: How nested values, arrays, dates and the like are written.
  @_disfavoredOverload @_documentation(visibility: internal)
  public func form(_ parameters: NestedParameters, style: Parameters.Style = .init()) -> Request {
    form(parameters.parameters, style: style)
  }

  /// Sends the values of any `Encodable` type as `application/x-www-form-urlencoded`.
  ///
  /// - Parameters:
  ///   - value: The value, which is encoded at once. If that fails, loading the request fails.
  ///   - style: How nested values, arrays, dates and the like are written.
  public func form(encoding value: some Encodable, style: Parameters.Style = .init()) -> Request {
    form(Parameters(encoding: value), style: style)
  }

  /// Sends parts as `multipart/form-data`.
  ///
  /// - Parameter multipart: The parts.
  public func multipart(_ multipart: Multipart) -> Request {
    body(.multipart(multipart))
  }
}

extension Request {
  /// Limits the time of the whole load, see ``Options/timeout``.
  public func timeout(_ duration: Duration) -> Request {
    changed { $0.options.timeout = duration }
  }

  /// Limits the time in which nothing arrives, see ``Options/idleTimeout``.
  public func idleTimeout(_ duration: Duration) -> Request {
    changed { $0.options.idleTimeout = duration }
  }

  /// Sets whether middleware adds its credential to the request, see ``Options/isAuthenticated``.
  public func authenticated(_ isAuthenticated: Bool) -> Request {
    changed { $0.options.isAuthenticated = isAuthenticated }
  }

  /// Accepts these statuses and no others, see ``Options/acceptedStatuses``.
  public func acceptedStatuses(_ statuses: AcceptedStatuses) -> Request {
    changed { $0.options.acceptedStatuses = statuses }
  }

  /// Sets how urgent the request is, see ``Options/priority``.
  public func priority(_ priority: Priority) -> Request {
    changed { $0.options.priority = priority }
  }

  /// Limits the decoded bytes of the response's body, see ``Options/maximumBodySize``.
  public func maximumBodySize(_ bytes: Int) -> Request {
    changed { $0.options.maximumBodySize = bytes }
  }

  /// Limits the bytes of the response's headers, see ``Options/maximumHeaderSize``.
  public func maximumHeaderSize(_ bytes: Int) -> Request {
    changed { $0.options.maximumHeaderSize = bytes }
  }

  /// Sets which redirects are followed, see ``Options/redirects``.
  public func redirects(_ policy: RedirectPolicy) -> Request {
    changed { $0.options.redirects = policy }
  }

  /// Sets how a cache is used, see ``Options/cachePolicy``.
  public func cachePolicy(_ policy: CachePolicy) -> Request {
    changed { $0.options.cachePolicy = policy }
  }
}

extension Request {
  /// Removes what another origin doesn't get, before the request goes there.
  mutating func leaveOrigin() {
    headers.leaveOrigin(with: options.crossOriginHeaders)
    hasLeftOrigin = true
  }
}
