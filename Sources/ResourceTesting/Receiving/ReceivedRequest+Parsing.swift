import Foundation

extension ReceivedRequest {
  /// Reads a head, from the request line to the empty line (RFC 9112, sections 3 and 5).
  ///
  /// Lines end at CRLF only, so that a bare CR or LF that a client lets through shows in the value.
  ///
  /// - Throws: `Interruption.malformed`.
  init(head: [UInt8], connection: Int) throws {
    let lines = String(decoding: head.dropLast(4), as: UTF8.self).components(separatedBy: "\r\n")
    let words = lines[0].split(separator: " ", omittingEmptySubsequences: false)
    let isFilled = words.count == 3 && !words[0].isEmpty && !words[1].isEmpty
    guard isFilled, words[2].hasPrefix("HTTP/1.") else {
      throw Interruption.malformed("no request line: \(lines[0])")
    }
    method = String(words[0])
    target = String(words[1])
    version = String(words[2])
    headers = try lines.dropFirst().map(Header.init(line:))
    rawHead = Data(head)
    self.connection = connection
    arrival = .now
  }

  /// How the body is delimited; the transfer coding counts more than a length (RFC 9112, section 6.3).
  func framing() throws -> BodyReader.Framing {
    if let coding = header("Transfer-Encoding") {
      guard coding.lowercased().hasSuffix("chunked") else {
        throw Interruption.malformed("transfer coding \(coding)")
      }
      return .chunked
    }
    guard let text = header("Content-Length") else { return .length(0) }
    guard let length = Int(text), length >= 0 else {
      throw Interruption.malformed("content length \(text)")
    }
    return .length(length)
  }

  var expectsContinue: Bool {
    header("Expect")?.lowercased() == "100-continue"
  }

  /// Whether the client wants the connection to stay open after the answer (RFC 9112, section 9.3).
  var keepsAlive: Bool {
    let options = values(of: "Connection").joined(separator: ",").lowercased()
      .split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    if options.contains("close") { return false }
    return version != "HTTP/1.0" || options.contains("keep-alive")
  }
}

extension ReceivedRequest.Header {
  /// Reads `Name: value`.
  init(line: String) throws {
    guard let colon = line.firstIndex(of: ":"), colon != line.startIndex else {
      throw Interruption.malformed("no header field: \(line)")
    }
    self.init(
      name: String(line[..<colon]),
      value: line[line.index(after: colon)...].trimmingCharacters(in: [" ", "\t"]))
  }
}
