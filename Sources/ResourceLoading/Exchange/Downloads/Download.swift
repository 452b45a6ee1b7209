import Dispatch
public import Foundation
import Synchronization

/// A file that was downloaded.
public struct Download: Sendable, Hashable {
  /// Where it is.
  public var file: URL

  /// How many bytes it has.
  public var size: Int

  /// How many of them were there before; 0 if the download wasn't resumed.
  public var resumedAt: Int

  /// The response, without its body.
  public var response: Response
}

extension Resource where R == Download {
  /// The body of a response in a file.
  ///
  /// It is written beside the file while it comes, which takes no memory to speak of with a ``Client``, and moved
  /// into its place once it is whole: the file is there either completely or not at all, and what was there before
  /// is replaced. If the load fails, nothing is left behind.
  ///
  /// With `resuming` what has come stays instead, in a file of the same name with `.part` behind it, and
  /// the next such load of the same URL, also one of another run of the program, asks only for the rest. That
  /// needs a server that identifies the content by a strong `ETag` or an old enough `Last-Modified` and
  /// that sends parts; otherwise, and if the content has changed, it is loaded from its beginning.
  ///
  /// - Parameters:
  ///   - request: What to send. Content codings aren't asked for, unless it does so itself.
  ///   - file: Where the file is to be; the directory has to be there.
  ///   - resuming: Whether what has come is kept for the next load when this one fails.
  public static func download(_ request: Request, to file: URL, resuming: Bool = false) -> Self {
    var request = request
    request.destination = .file(file, resuming: resuming)
    return Resource(request) { response in try Download(response, at: file) }
  }

  /// The body of a URL in a file, as ``download(_:to:resuming:)-(Request,_,_)`` has it.
  ///
  /// - Parameters:
  ///   - url: An absolute `http` or `https` URL.
  ///   - file: Where the file is to be; the directory has to be there.
  ///   - resuming: Whether what has come is kept for the next load when this one fails.
  public static func download(_ url: URL, to file: URL, resuming: Bool = false) -> Self {
    .download(Request(url: url), to: file, resuming: resuming)
  }
}

extension Download {
  fileprivate init(_ response: Response, at file: URL) throws {
    if response.file == nil {
      // A loader that knows no files: a stub, or a cache.
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
    resumedAt = response.resumedAt
    self.response = response
    self.response.body = Data()
  }
}

/// Puts the body of a load into a file: first beside it, and in its place once it is whole.
final class FileDestination: BodyDestination {
  private let file: URL
  private let resumes: Bool
  private let accepted: Request.AcceptedStatuses
  private let part: PartialFile

  /// - Parameters:
  ///   - file: Where the whole file is to be. What is there is replaced.
  ///   - resumes: Whether what has come stays when the load fails, and is completed by the next one.
  ///   - accepted: The statuses whose bodies are wanted.
  init(_ file: URL, resumes: Bool, accepted: Request.AcceptedStatuses) {
    self.file = file
    self.resumes = resumes
    self.accepted = accepted
    part = PartialFile(of: file, stays: resumes)
  }

  var canBeginAgain: Bool { true }

  func open(for request: inout WireRequest.Draft) throws -> any BodySink {
    // Bytes are counted and asked for as they are in the file.
    request.headers[.acceptEncoding] = request.headers[.acceptEncoding] ?? "identity"
    let output = try part.open()
    var asked: PartialFile.Record?
    do {
      // A request for a part of one's own is none of our business.
      if resumes, request.method == .get, request.headers[.range] == nil {
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
    return FileSink(
      file, part, output, asked: asked, url: request.url, keeps: resumes, accepted: accepted)
  }
}

extension Request {
  /// Where the body of a load of this request goes; `nil` for memory.
  func makeDestination() -> (any BodyDestination)? {
    switch destination {
    case .memory: nil
    case .file(let file, let resuming):
      FileDestination(file, resumes: resuming, accepted: options.acceptedStatuses ?? .successful)
    }
  }
}

/// Has the system write a file to the disk while the rest of it still comes: in the end there is less to wait for.
final class EarlyWriteback: Sendable {
  private let path: String
  private let queue = DispatchQueue(label: "ResourceLoading.EarlyWriteback")
  private let state = Mutex((written: 0, isWriting: false))
  /// After how many bytes it is worth it.
  private static let stride = 32 << 20

  init(_ path: String) { self.path = path }

  /// Some more was written. Doesn't wait.
  func note(_ count: Int) {
    let isTime = state.withLock { state in
      state.written += count
      guard state.written >= Self.stride, !state.isWriting else { return false }
      state = (0, true)
      return true
    }
    guard isTime else { return }
    queue.async { [self] in
      OutputFile.synchronize(path)
      state.withLock { $0.isWriting = false }
    }
  }
}
