import Foundation

/// Bytes from a stream that can be restarted.
final class StreamContent: Sendable {
  private let write: @Sendable (OutputFile) async throws -> Void

  init<Bytes: AsyncSequence & Sendable>(
    _ make: @escaping @Sendable () throws -> Bytes
  ) where Bytes.Element == Data {
    write = { output in
      for try await chunk in try make() { try output.write(chunk) }
    }
  }

  /// Writes the bytes to a temporary file.
  func spool() async throws -> Spool {
    let spool = try Spool()
    do {
      try await write(spool.output)
      try Task.checkCancellation()
      return spool
    } catch {
      if error is LoadError || error is CancellationError { throw error }
      throw LoadError(.invalidRequest, "the body's stream threw \(error)", underlying: error)
    }
  }
}

extension StreamContent: Hashable {
  /// Streams are only equal to themselves, since their bytes aren't known.
  static func == (one: StreamContent, other: StreamContent) -> Bool { one === other }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A temporary file of bytes to send. It is removed with its last reference.
///
/// Where the system can read a file without a name, the name is removed at once: nothing is left
/// even if the process is killed, and nobody else can open it.
final class Spool: Sendable {
  let output: OutputFile
  let file: URL
  private let hasName: Bool

  /// Creates an empty file. It loses its name at once unless `keepsName`.
  init(keepsName: Bool = false) throws {
    let place = FileManager.default.temporaryDirectory.appending(
      path: "upload-\(UUID().uuidString)", directoryHint: .notDirectory)
    output = try OutputFile(new: place.path(percentEncoded: false))
    if !keepsName, let nameless = output.namelessPath {
      OutputFile.remove(output.path)
      (file, hasName) = (URL(filePath: nameless, directoryHint: .notDirectory), false)
    } else {
      (file, hasName) = (place, true)
    }
  }

  deinit {
    if hasName { OutputFile.remove(output.path) }
    output.close()
  }
}

extension Spool {
  /// Creates a file from a whole body, with a name.
  convenience init(copying body: WireBody) throws {
    try self.init(keepsName: true)
    var reader = body.makeReader()
    while let chunk = try reader.next(atMost: 1 << 18) { try output.write(chunk) }
  }
}

extension Request.Body {
  var isStream: Bool { if case .stream = content { true } else { false } }

  /// Returns the bytes of a stream in a file; `nil` if the body isn't a stream.
  func spool() async throws -> Spool? {
    guard case .stream(let stream) = content else { return nil }
    return try await stream.spool()
  }
}
