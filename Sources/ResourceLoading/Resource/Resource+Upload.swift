public import Foundation

extension Resource where R: Decodable {
  /// The JSON in the response to the upload of a file, which is resumed after an interruption; see
  /// ``Request/upload(_:file:as:resuming:_:)``.
  ///
  /// ```swift
  /// let stored: Stored = try await client.load(.upload(.post("/files"), file: file))
  /// ```
  ///
  /// - Parameters:
  ///   - request: The request, whose body is replaced.
  ///   - file: The URL of a regular file, which must not change until it is uploaded.
  ///   - mediaType: Its media type; `nil` for the client's default `Content-Type`.
  ///   - resuming: The protocol.
  ///   - configure: Changes the other options.
  public static func upload(
    _ request: Request, file: URL, as mediaType: MediaType? = nil,
    resuming: UploadResumption = .automatic, _ configure: (inout UploadOptions) -> Void = { _ in }
  ) -> Self {
    .json(.upload(request, file: file, as: mediaType, resuming: resuming, configure))
  }
}
