import Foundation

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
