public import Foundation
import ResourcePrimitives

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
  /// The body is written to a temporary file in the same directory as it arrives, which takes
  /// hardly any memory with a ``Client``. The complete file is then moved to its location and
  /// replaces an existing one. If the load fails, the temporary file is removed.
  ///
  /// With `resuming`, the part that has arrived stays in a file of the same name with `.part`
  /// appended. The next such load of the same URL, also in another run of the program, requests
  /// only the rest. The server has to support ranges and to identify the content by a strong `ETag`
  /// or an old enough `Last-Modified`. Otherwise, and if the content has changed, everything is
  /// loaded again.
  ///
  /// - Parameters:
  ///   - request: The request. It asks for no content codings unless it has an `Accept-Encoding`.
  ///   - file: The location of the file, in an existing directory.
  ///   - resuming: Whether to keep a part for the next load if this one fails.
  public static func download(_ request: Request, to file: URL, resuming: Bool = false) -> Self {
    .download(request, to: file) { $0.isResumable = resuming }
  }

  /// The body of a response in a file, with options.
  ///
  /// ```swift
  /// let model = Resource.download(.get("/models/large.gguf"), to: file) {
  ///   $0.parts = .automatic
  ///   $0.digest = .sha256(hash)
  /// }
  /// ```
  ///
  /// As ``download(_:to:resuming:)-(Request,_,_)``, and by default resumable. In several parts, the
  /// file beside it has the size of the complete file from the beginning, and a part of it counts
  /// as received only when it is on the disk. One stream is used instead for a server that doesn't
  /// send parts or doesn't identify the content by a strong validator, and for requests other than
  /// `GET` or with a `Range` of their own. Content that changes during the download is loaded from
  /// its beginning once; if it changes again, the load fails.
  ///
  /// - Parameters:
  ///   - request: The request. It asks for no content codings unless it has an `Accept-Encoding`.
  ///   - file: The location of the file, in an existing directory.
  ///   - configure: Changes the options.
  public static func download(
    _ request: Request, to file: URL, _ configure: (inout DownloadOptions) -> Void
  ) -> Self {
    var options = DownloadOptions()
    configure(&options)
    var request = request
    request.destination = .file(file, options)
    return Resource(request) { [options] response in
      try Download(response, at: file, options)
    }
  }

  /// The body of a URL in a file; see ``download(_:to:resuming:)-(Request,_,_)``.
  ///
  /// - Parameters:
  ///   - url: An absolute `http` or `https` URL.
  ///   - file: The location of the file, in an existing directory.
  ///   - resuming: Whether to keep a part for the next load if this one fails.
  public static func download(_ url: URL, to file: URL, resuming: Bool = false) -> Self {
    .download(Request(url: url), to: file, resuming: resuming)
  }
}

extension Download {
  fileprivate init(_ response: Response, at file: URL, _ options: DownloadOptions) throws {
    if response.file == nil {
      // The loader doesn't write files, like a stub or a cache.
      let part = PartialFile(of: file, stays: false)
      let output = try part.open()
      do {
        try output.write(response.body)
        var check = ContentCheck(options)
        try check.finish(output, at: response.body.count)
        try part.complete(output, as: file, permissions: options.permissions)
      } catch {
        part.discard(output)
        throw error
      }
    }
    let path = file.path(percentEncoded: false)
    guard let status = systemTargetStatus(path) else {
      throw LoadError(file: path, "can't be read", errno)
    }
    self.file = file
    size = Int(status.st_size)
    resumedSize = response.resumedSize
    self.response = response
    self.response.body = Data()
  }
}

/// Writes the body of a load into a partial file. When that is complete, it replaces the file.
final class FileDestination: BodyDestination {
  /// The location of the complete file. An existing one is replaced.
  let file: URL
  let options: DownloadOptions
  /// The statuses whose bodies are written.
  let accepted: Request.AcceptedStatuses
  let part: PartialFile

  init(_ file: URL, _ options: DownloadOptions, accepted: Request.AcceptedStatuses) {
    self.file = file
    self.options = options
    self.accepted = accepted
    part = PartialFile(of: file, stays: options.isResumable)
  }

  /// Whether a part stays if the load fails, so that the next load can complete it.
  var keepsPart: Bool { options.isResumable }

  var canBeginAgain: Bool { true }

  /// Checks that the file can be written, before anything is sent.
  func check() throws {
    guard file.isFileURL else {
      throw LoadError(
        .file, "the download can't be written to \("\(file)".redactedURL), which isn't a file URL",
        advice: "Use a file URL")
    }
    try options.check()
    try OutputFile.checkReplaceable(file.path(percentEncoded: false))
  }

  func open(for request: inout WireRequest.Draft, in context: LoadContext) throws -> any BodySink {
    try check()
    // Ranges refer to the bytes in the file, without a coding.
    request.headers[.acceptEncoding] = request.headers[.acceptEncoding] ?? "identity"
    let output = try part.open()
    var asked: PartialFile.Record?
    do {
      // The caller requests a range, which isn't completed.
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

extension FileDestination {
  /// Returns whether the file is there, with the digest and the size that the caller names. It
  /// blocks. If `isCancelled` returns `true`, the answer isn't needed anymore.
  func isWhole(_ isCancelled: () -> Bool) -> Bool {
    guard let reader = try? InputFile(file), let size = reader.status?.st_size,
      options.size.map({ $0 == size }) ?? true
    else { return false }
    guard let digest = options.digest else { return true }
    let hash = RunningDigest(digest.algorithm)
    var offset = 0
    while !isCancelled(), let bytes = try? reader.read(1 << 20, at: offset), !bytes.isEmpty {
      hash.update(bytes)
      offset += bytes.count
    }
    return !isCancelled() && hash.finish() == digest.hexadecimal
  }
}

extension Request {
  /// Creates the destination of the body; `nil` for memory.
  func makeDestination() -> (any BodyDestination)? { fileDestination }

  /// The file for the body; `nil` for memory.
  var fileDestination: FileDestination? {
    switch destination {
    case .memory: nil
    case .file(let file, let download):
      FileDestination(file, download, accepted: options.acceptedStatuses ?? .successful)
    }
  }
}
