extension Path {
  /// Checks what can't be checked when a path is made.
  ///
  /// - Throws: `LoadError` of kind `invalidRequest` for a text that was said to be encoded and isn't.
  func check() throws {
    let first = encoded.prefix { $0 != "/" }
    guard !PercentEncoding.wholePath.accepts(encoded) || first.contains(":") else { return }
    throw LoadError(
      .invalidRequest, "the path \(encoded.debugDescription) isn't percent-encoded",
      advice: first.contains(":")
        ? "Begin it with a slash" : "Write it as a literal, or encode it before")
  }
}
