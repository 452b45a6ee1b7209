public import Foundation

// Overloads for what is often written by mistake; their messages say what to write instead. The
// type checker looks at them only where nothing else fits.

extension Loader {
  /// Not available: a request doesn't say what the response becomes.
  @available(
    *, unavailable,
    message: """
      a request doesn't say what the response becomes: load(.json(request, as: User.self)), or \
      .data(request), .text(request), .void(request)
      """
  )
  @_documentation(visibility: internal)
  public func load(_ request: Request) async throws -> Data { try await load(.data(request)) }

  /// Not available: a request doesn't say what the response becomes.
  @available(
    *, unavailable,
    message: """
      a request doesn't say what the response becomes: load(.json(request, as: User.self)), or \
      .data(request), .text(request), .void(request)
      """
  )
  @_documentation(visibility: internal)
  public func load<Value>(_ request: Request) async throws -> Value { throw CancellationError() }

  /// Not available: a URL doesn't say what the response becomes.
  @available(
    *, unavailable,
    message: """
      a URL doesn't say what the response becomes: load(.json(url, as: User.self)), or .data(url), \
      .text(url), .void(url)
      """
  )
  @_documentation(visibility: internal)
  public func load(_ url: URL) async throws -> Data { try await load(.data(url)) }

  /// Not available: a URL doesn't say what the response becomes.
  @available(
    *, unavailable,
    message: """
      a URL doesn't say what the response becomes: load(.json(url, as: User.self)), or .data(url), \
      .text(url), .void(url)
      """
  )
  @_documentation(visibility: internal)
  public func load<Value>(_ url: URL) async throws -> Value { throw CancellationError() }
}

/// Stands for a type that nobody has named.
@_documentation(visibility: internal)
public struct UnnamedType: Sendable {}

extension Endpoint where Self == Resource<UnnamedType> {
  /// Not available: nothing says which type the value has.
  @available(
    *, unavailable,
    message: """
      nothing says which type the value has: write .json(request, as: User.self), or \
      let user: User = try await …
      """
  )
  @_documentation(visibility: internal)
  public static func json(
    _ request: Request, at path: String = "", decoder: JSONDecoder? = nil
  ) -> Self {
    Resource(request) { _ in throw CancellationError() }
  }

  /// Not available: nothing says which type the value has.
  @available(
    *, unavailable,
    message: """
      nothing says which type the value has: write .json(url, as: User.self), or \
      let user: User = try await …
      """
  )
  @_documentation(visibility: internal)
  public static func json(
    _ url: URL, at path: String = "", decoder: JSONDecoder? = nil
  ) -> Self {
    .json(Request(url: url), at: path, decoder: decoder)
  }
}

extension Resource where R: Decodable {
  /// Not available: a text may be a path or a URL.
  @available(
    *, unavailable,
    message: """
      say which method is sent: .json(.get("/users/\\(login)")); for a URL write .json(url)
      """
  )
  @_documentation(visibility: internal)
  public static func json(
    _ text: String, as type: R.Type = R.self, at path: String = "", decoder: JSONDecoder? = nil
  ) -> Self {
    .json(Request(.get, RequestPath(text)), at: path, decoder: decoder)
  }
}

extension Resource where R == Data {
  /// Not available: a text may be a path or a URL.
  @available(
    *, unavailable,
    message: """
      say which method is sent: .data(.get("/files/\\(name)")); for a URL write .data(url)
      """
  )
  @_documentation(visibility: internal)
  public static func data(_ text: String) -> Self { .data(Request(.get, RequestPath(text))) }
}

extension Resource where R == String {
  /// Not available: a text may be a path or a URL.
  @available(
    *, unavailable,
    message: """
      say which method is sent: .text(.get("/files/\\(name)")); for a URL write .text(url)
      """
  )
  @_documentation(visibility: internal)
  public static func text(_ text: String) -> Self { .text(Request(.get, RequestPath(text))) }
}
