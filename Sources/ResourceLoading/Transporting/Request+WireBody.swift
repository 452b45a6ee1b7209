public import Foundation

extension Request.Body {
  /// Makes the body ready to be sent.
  ///
  /// - Parameter encoder: Encodes JSON that brings no encoder of its own.
  /// - Throws: `LoadError` of kind `invalidRequest` if a value can't be encoded or a file can't be read.
  func wireBody(encoder: JSONEncoder) throws -> WireBody {
    var ready = try pieces(encoder: encoder)
    ready.origin.body = self
    return ready
  }

  /// The body as it is sent that was put into a spool.
  func wireBody(in spool: Spool) throws -> WireBody {
    var ready = WireBody([.file(spool.file, 0..<(try spool.output.length))])
    ready.origin = WireBody.Origin(body: self, spool: spool)
    return ready
  }

  private func pieces(encoder: JSONEncoder) throws -> WireBody {
    switch content {
    case .data(let data): WireBody(data)
    case .json(let json): WireBody(try json.data(encoder: encoder))
    case .form(let form): WireBody(try form.data())
    case .multipart(let multipart): try multipart.wireBody(encoder: encoder)
    case .file(let file): WireBody([try .file(file)])
    case .stream:
      throw LoadError(
        .invalidRequest, "the body is a stream, which isn't read before it is sent",
        advice: "Use .file or .data where the bytes are needed before")
    }
  }

  /// The whole body as it would be sent, for tests and for whoever signs requests.
  ///
  /// - Parameter encoder: Encodes JSON that brings no encoder of its own.
  /// - Returns: All bytes in memory; files are read.
  /// - Throws: ``LoadError`` of kind ``LoadError/Kind/invalidRequest`` if a value can't be encoded or a file
  ///   can't be read.
  public func data(encoder: JSONEncoder = JSONEncoder()) throws -> Data {
    try wireBody(encoder: encoder).data()
  }
}
