import Foundation

/// Bytes that come bit by bit, and can be made to come again.
final class StreamContent: Sendable {
  private let write: @Sendable (OutputFile) async throws -> Void

  init<Bytes: AsyncSequence & Sendable>(
    _ make: @escaping @Sendable () throws -> Bytes
  ) where Bytes.Element == Data {
    write = { output in
      for try await chunk in try make() { try output.write(chunk) }
    }
  }

  /// Puts the bytes into a temporary file.
  ///
  /// - Throws: `LoadError` of kind `invalidRequest` with what the stream threw, or of kind `file` if there is no
  ///   room; `CancellationError` if the calling task is cancelled.
  func spool() async throws -> Spool {
    let name = "upload-\(UUID().uuidString)"
    let file = FileManager.default.temporaryDirectory.appending(path: name)
    let output = try OutputFile(file.path(percentEncoded: false))
    let spool = Spool(file: file)
    defer { output.close() }
    do {
      try await write(output)
      try Task.checkCancellation()
      return spool
    } catch {
      spool.remove()
      if error is LoadError || error is CancellationError { throw error }
      throw LoadError(.invalidRequest, "the body's stream threw \(error)", underlying: error)
    }
  }
}

extension StreamContent: Hashable {
  /// Streams are equal only to themselves: what they will bring isn't known.
  static func == (one: StreamContent, other: StreamContent) -> Bool { one === other }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A temporary file with the bytes of a stream.
struct Spool: Sendable {
  let file: URL

  func remove() { OutputFile.remove(file.path(percentEncoded: false)) }
}

extension Request.Body {
  /// Whether it comes bit by bit.
  var isStream: Bool { if case .stream = content { true } else { false } }

  /// The bytes of a stream in a file; `nil` for what isn't a stream.
  func spool() async throws -> Spool? {
    guard case .stream(let stream) = content else { return nil }
    return try await stream.spool()
  }
}

extension Request {
  /// This request with a spool in place of its stream.
  func sending(_ spool: Spool?) -> Request {
    guard let spool, let body else { return self }
    var request = self
    request.body = .file(spool.file, as: body.mediaType)
    return request
  }
}
