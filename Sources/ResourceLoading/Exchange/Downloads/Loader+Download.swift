public import Foundation

extension Loader {
  /// Downloads the body of a response into a file; see ``Resource/download(_:to:_:)``.
  ///
  /// ```swift
  /// let download = try await client.download(.get("/models/large.gguf"), to: file) {
  ///   $0.parts = .automatic
  ///   $0.digest = .sha256(hash)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - file: The location of the file, in an existing directory.
  ///   - configure: Changes the options: the number of parts, what is checked, and what stays. By
  ///     default the body comes in one part, and the next download into the same file completes
  ///     what has arrived if this one fails.
  /// - Returns: The file.
  /// - Throws: A ``LoadError``, of kind ``LoadError/Kind/digest`` if the content isn't what the
  ///   caller or the server says, and of kind ``LoadError/Kind/file`` if it can't be written; or
  ///   `CancellationError` as soon as the calling task is cancelled.
  @discardableResult
  public func download(
    _ request: Request, to file: URL,
    _ configure: (inout DownloadOptions) -> Void = { _ in }
  ) async throws -> Download {
    try await load(.download(request, to: file, configure))
  }
}
