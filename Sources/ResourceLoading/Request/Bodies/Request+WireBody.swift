public import Foundation
import ResourcePrimitives

extension Request.Body {
  /// Creates the body as it is sent. `encoder` is for JSON without an encoder of its own.
  package func wireBody(encoder: JSONEncoder) throws -> WireBody {
    var ready = try pieces(encoder: encoder)
    ready.source.body = self
    return ready
  }

  /// Returns the body to send for a stream that was written to a spool.
  func wireBody(in spool: Spool) throws -> WireBody {
    var ready = WireBody([.file(spool.file, 0..<(try spool.output.length))])
    ready.source = WireBody.Source(body: self, spool: spool)
    return ready
  }

  /// Returns the body as it would be sent, for storing it. The bytes of a stream are in a file that
  /// exists as long as the returned body. `encoder` is for JSON without an encoder of its own.
  package func spooled(encoder: JSONEncoder) async throws -> WireBody {
    if let spool = try await spool() { return try wireBody(in: spool) }
    return try wireBody(encoder: encoder)
  }

  /// Creates a body of pieces that were kept. Files among them are read when they are sent.
  package static func pieces(_ body: WireBody, as mediaType: MediaType?) -> Self {
    Self(content: .pieces(body), mediaType: mediaType)
  }

  /// Returns the body in pieces, without the body that they were made from.
  private func pieces(encoder: JSONEncoder) throws -> WireBody {
    switch content {
    case .data(let data): WireBody(data)
    case .json(let json): WireBody(try json.data(encoder: encoder))
    case .form(let items): WireBody(Data(try items.formText().utf8))
    case .multipart(let multipart): try multipart.wireBody(encoder: encoder)
    case .file(let file): WireBody([try .file(file)])
    case .pieces(let body): body
    case .stream:
      throw LoadError(
        .invalidRequest, "the body is a stream, which isn't read before it is sent",
        advice: "Use .file or .data where the bytes are needed before")
    }
  }

  /// The whole body as it would be sent, for tests and signatures.
  ///
  /// - Parameter encoder: Encodes JSON that brings no encoder of its own.
  /// - Returns: All bytes in memory; files are read.
  /// - Throws: ``LoadError`` of kind ``LoadError/Kind/invalidRequest`` if a value can't be encoded
  ///   or a file can't be read.
  public func data(encoder: JSONEncoder = JSONEncoder()) throws -> Data {
    try wireBody(encoder: encoder).data()
  }
}

extension Multipart {
  /// The parts and the boundaries between them.
  func wireBody(encoder: JSONEncoder) throws -> WireBody {
    try checkBoundary()
    var segments: [WireBody.Segment] = []
    var text = ""
    for part in parts {
      text += try "--\(boundary)\r\n" + part.head()
      let body = try part.body.wireBody(encoder: encoder)
      try check(body, of: part)
      segments.append(.data(Data(text.utf8)))
      segments += body.segments
      text = "\r\n"
    }
    return WireBody(segments + [.data(Data("\(text)--\(boundary)--\r\n".utf8))])
  }

  /// Checks that the boundary may be used between parts.
  private func checkBoundary() throws {
    let allowed = (1...70).contains(boundary.utf8.count) && !boundary.hasSuffix(" ")
    let isSafe = boundary.utf8.allSatisfy { byte in
      PercentEncoding.unreserved.keeps(byte) && byte != UInt8(ascii: "~")
        || "'()+,/:=? ".utf8.contains(byte)
    }
    guard !allowed || !isSafe else { return }
    throw LoadError(
      .invalidRequest, "the boundary \(boundary.debugDescription) can't stand in a multipart body",
      advice: "Use 1 to 70 letters, digits and hyphens, or leave it to chance")
  }

  /// Looks for a boundary that the program has chosen in everything but files.
  private func check(_ body: WireBody, of part: Part) throws {
    guard !hasRandomBoundary else { return }
    let mark = Array("--\(boundary)".utf8)
    for case .data(let data) in body.segments {
      guard data.firstRange(of: mark) != nil else { continue }
      throw LoadError(
        .invalidRequest, "the boundary turns up in the part \(part.name.debugDescription)",
        advice: "Use another boundary, or leave it to chance")
    }
  }
}
