// Overloads for what is often written by mistake; their messages say what to write instead. The
// type checker looks at them only where nothing else fits.

extension Request {
  /// Not available: a text may be a path or a URL.
  @available(
    *, unavailable,
    message: """
      write the path as a literal with the values in it, .get("/users/\\(login)"); for a path in a \
      variable write .get(RequestPath(text)), and for a URL .get(url)
      """
  )
  @_disfavoredOverload @_documentation(visibility: internal)
  public static func get(_ text: String) -> Request { Request(.get, RequestPath(text)) }

  /// Not available: a text may be a path or a URL.
  @available(
    *, unavailable,
    message: """
      write the path as a literal with the values in it, .head("/users/\\(login)"); for a path in a \
      variable write .head(RequestPath(text)), and for a URL .head(url)
      """
  )
  @_disfavoredOverload @_documentation(visibility: internal)
  public static func head(_ text: String) -> Request { Request(.head, RequestPath(text)) }

  /// Not available: a text may be a path or a URL.
  @available(
    *, unavailable,
    message: """
      write the path as a literal with the values in it, .query("/users/\\(login)"); for a path in a \
      variable write .query(RequestPath(text)), and for a URL .query(url)
      """
  )
  @_disfavoredOverload @_documentation(visibility: internal)
  public static func query(_ text: String) -> Request { Request(.query, RequestPath(text)) }

  /// Not available: a text may be a path or a URL.
  @available(
    *, unavailable,
    message: """
      write the path as a literal with the values in it, .post("/users/\\(login)"); for a path in a \
      variable write .post(RequestPath(text)), and for a URL .post(url)
      """
  )
  @_disfavoredOverload @_documentation(visibility: internal)
  public static func post(_ text: String) -> Request { Request(.post, RequestPath(text)) }

  /// Not available: a text may be a path or a URL.
  @available(
    *, unavailable,
    message: """
      write the path as a literal with the values in it, .put("/users/\\(login)"); for a path in a \
      variable write .put(RequestPath(text)), and for a URL .put(url)
      """
  )
  @_disfavoredOverload @_documentation(visibility: internal)
  public static func put(_ text: String) -> Request { Request(.put, RequestPath(text)) }

  /// Not available: a text may be a path or a URL.
  @available(
    *, unavailable,
    message: """
      write the path as a literal with the values in it, .patch("/users/\\(login)"); for a path in a \
      variable write .patch(RequestPath(text)), and for a URL .patch(url)
      """
  )
  @_disfavoredOverload @_documentation(visibility: internal)
  public static func patch(_ text: String) -> Request { Request(.patch, RequestPath(text)) }

  /// Not available: a text may be a path or a URL.
  @available(
    *, unavailable,
    message: """
      write the path as a literal with the values in it, .delete("/users/\\(login)"); for a path in a \
      variable write .delete(RequestPath(text)), and for a URL .delete(url)
      """
  )
  @_disfavoredOverload @_documentation(visibility: internal)
  public static func delete(_ text: String) -> Request { Request(.delete, RequestPath(text)) }

  /// Not available: a dictionary is encoded.
  @available(
    *, unavailable,
    message: """
      write .query(encoding: values) for a dictionary whose values have one Encodable type
      """
  )
  @_documentation(visibility: internal)
  public func query(_ values: [String: Any]) -> Request { self }

  /// Not available: a dictionary is encoded.
  @available(
    *, unavailable,
    message: """
      write .form(encoding: values) for a dictionary whose values have one Encodable type
      """
  )
  @_documentation(visibility: internal)
  public func form(_ values: [String: Any]) -> Request { self }

  /// Not available: `Any` can't be encoded.
  @available(
    *, unavailable,
    message: """
      [String: Any] can't be encoded: use an Encodable type, a literal, or JSONValue
      """
  )
  @_documentation(visibility: internal)
  public func json(_ values: [String: Any]) -> Request { self }

  /// Not available: a dictionary is no collection of headers.
  @available(*, unavailable, message: "write .headers(Headers(values)) for a dictionary")
  @_documentation(visibility: internal)
  public func headers(_ values: [String: String]) -> Request { headers(Headers(values)) }
}

extension RequestPath.Interpolation {
  /// Not available: a segment can't be missing, and has to be text.
  @available(
    *, unavailable,
    message: """
      a value in a path can't be optional, and has to be CustomStringConvertible
      """
  )
  @_documentation(visibility: internal)
  public mutating func appendInterpolation<Value>(_ value: Value) {}
}
