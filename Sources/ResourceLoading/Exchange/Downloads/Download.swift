public import Foundation

/// A file that was downloaded.
public struct Download: Sendable, Hashable {
  /// Its location.
  public var file: URL

  /// Its number of bytes.
  public var size: Int

  /// The number of bytes from earlier loads; 0 if the download wasn't resumed.
  public var resumedSize: Int

  /// The response, without its body.
  public var response: Response
}

extension Resource where R == Download {
  /// The body of a response in a file.
  ///
  /// The body is written to a file beside it as it arrives, which takes hardly any memory with a
  /// ``Client``, and moved once it is complete: the file is there either completely or not at all,
  /// and an existing one is replaced. If the load fails, nothing is left behind.
  ///
  /// With `resuming`, the part that has arrived stays in a file of the same name with `.part`
  /// appended, and the next such load of the same URL, also in another run of the program, requests
  /// only the rest. That needs a server that identifies the content by a strong `ETag` or an old
  /// enough `Last-Modified`, and that sends parts. Otherwise, and if the content has changed, it is
  /// loaded from its beginning.
  ///
  /// - Parameters:
  ///   - request: The request. It asks for no content codings unless it has an `Accept-Encoding`.
  ///   - file: The location of the file, in an existing directory.
  ///   - resuming: Whether a part is kept for the next load if this one fails.
  public static func download(_ request: Request, to file: URL, resuming: Bool = false) -> Self {
    var request = request
    request.destination = .file(file, resuming: resuming)
    return Resource(request) { response in try Download(response, at: file) }
  }

  /// The body of a URL in a file; see ``download(_:to:resuming:)-(Request,_,_)``.
  ///
  /// - Parameters:
  ///   - url: An absolute `http` or `https` URL.
  ///   - file: The location of the file, in an existing directory.
  ///   - resuming: Whether a part is kept for the next load if this one fails.
  public static func download(_ url: URL, to file: URL, resuming: Bool = false) -> Self {
    .download(Request(url: url), to: file, resuming: resuming)
  }
}

extension Download {
  fileprivate init(_ response: Response, at file: URL) throws {
    if response.file == nil {
      // From a loader that writes no files: a stub, or a cache.
      let part = PartialFile(of: file, stays: false)
      let output = try part.open()
      do {
        try output.write(response.body)
        try part.complete(output, as: file)
      } catch {
        part.discard(output)
        throw error
      }
    }
    let attributes = try FileManager.default.attributesOfItem(
      atPath: file.path(percentEncoded: false))
    self.file = file
    size = (attributes[.size] as? NSNumber)?.intValue ?? 0
    resumedSize = response.resumedSize
    self.response = response
    self.response.body = Data()
  }
}

/// Writes the body of a load into a partial file, which replaces the file once it is complete.
final class FileDestination: BodyDestination {
  /// The location of the complete file. An existing one is replaced.
  let file: URL
  /// Whether a part stays if the load fails, and is completed by the next one.
  let keepsPart: Bool
  /// The statuses whose bodies are written.
  let accepted: Request.AcceptedStatuses
  let part: PartialFile

  init(_ file: URL, keepsPart: Bool, accepted: Request.AcceptedStatuses) {
    self.file = file
    self.keepsPart = keepsPart
    self.accepted = accepted
    part = PartialFile(of: file, stays: keepsPart)
  }

  var canBeginAgain: Bool { true }

  func open(for request: inout WireRequest.Draft, in context: LoadContext) throws -> any BodySink {
    guard file.isFileURL else {
      throw LoadError(
        .file, "the download can't be written to \("\(file)".redactedURL): it is no file URL",
        advice: "Use a file URL")
    }
    try OutputFile.checkReplaceable(file.path(percentEncoded: false))
    // Ranges count the bytes as they are in the file, without a coding.
    request.headers[.acceptEncoding] = request.headers[.acceptEncoding] ?? "identity"
    let output = try part.open()
    var asked: PartialFile.Record?
    do {
      // A caller's own range isn't completed.
      if keepsPart, request.method == .get, request.headers[.range] == nil {
        asked = try part.record(for: request.url, in: output)
      }
    } catch {
      part.discard(output)
      throw error
    }
    if let asked {
      request.headers[.range] = "bytes=\(asked.length)-"
      request.headers[.ifRange] = asked.validator
    }
    return FileSink(self, output, asked: asked, url: request.url)
  }
}

extension Request {
  /// Creates the destination of the body; `nil` for memory.
  func makeDestination() -> (any BodyDestination)? {
    switch destination {
    case .memory: nil
    case .file(let file, let resuming):
      FileDestination(
        file, keepsPart: resuming, accepted: options.acceptedStatuses ?? .successful)
    }
  }
}
