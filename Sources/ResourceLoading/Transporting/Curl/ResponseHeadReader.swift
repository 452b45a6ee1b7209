#if Curl && canImport(CResourceCurl)
  /// Puts response heads together from the lines that libcurl hands out.
  struct ResponseHeadReader {
    /// What a line led to.
    enum Step {
      case more
      /// A head that isn't interim (1xx) is whole.
      case head(ResponseHead)
      case tooLong
    }

    /// How many bytes all the heads of one exchange may have: 256 KiB.
    static let maximumSize = 256 << 10

    /// Whether a head that isn't interim was whole.
    private(set) var isComplete = false
    private var status: Status?
    private var fields = Headers()
    private var size = 0

    /// Reads a line with its line end. Those of trailers are skipped.
    mutating func read(_ line: UnsafeRawBufferPointer) -> Step {
      size += line.count
      guard size <= Self.maximumSize else { return .tooLong }
      // What comes now are trailers.
      guard !isComplete else { return .more }
      let line = line.withoutLineEnd
      if let status = Status(line: line) {
        begin(status)
      } else if let status {
        if line.isEmpty { return end(status) }
        append(line)
      }
      return .more
    }

    private mutating func begin(_ status: Status) {
      self.status = status
      fields = Headers()
    }

    private mutating func end(_ status: Status) -> Step {
      self.status = nil
      guard !status.isInformational || status == 101 else { return .more }
      isComplete = true
      return .head(ResponseHead(status: status, headers: fields))
    }

    private mutating func append(_ line: UnsafeRawBufferPointer) {
      if line[0].isBlank { return fields.continueLast(with: line.trimmed.text) }
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0 else { return }
      let name = UnsafeRawBufferPointer(rebasing: line[..<colon])
      let value = UnsafeRawBufferPointer(rebasing: line[(colon + 1)...])
      fields.append(Headers.Name(rawValue: name.trimmed.text), value.trimmed.text)
    }
  }

  extension Headers {
    /// Adds to the value of the last field (RFC 9112 section 5.2, obsolete line folding).
    fileprivate mutating func continueLast(with text: String) {
      guard let last else { return }
      let value = last.value.isEmpty ? text : "\(last.value) \(text)"
      let kept = dropLast()
      self = Headers()
      for field in kept { append(field.name, field.value) }
      append(last.name, value)
    }
  }

  extension Status {
    /// Reads `HTTP/1.1 200 OK` or `HTTP/2 200`.
    fileprivate init?(line: UnsafeRawBufferPointer) {
      guard line.count >= 9, line[0] == UInt8(ascii: "H"), line.starts(with: "HTTP/".utf8),
        let space = line.firstIndex(of: UInt8(ascii: " "))
      else { return nil }
      let digits = line[(space + 1)...].prefix(3)
      guard digits.count == 3, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
      self.init(rawValue: digits.reduce(0) { $0 * 10 + Int($1 & 0x0F) })
    }
  }

  extension UInt8 {
    fileprivate var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
  }

  extension UnsafeRawBufferPointer {
    fileprivate var withoutLineEnd: UnsafeRawBufferPointer {
      var count = count
      while count > 0, self[count - 1] == 0x0A || self[count - 1] == 0x0D { count -= 1 }
      return UnsafeRawBufferPointer(rebasing: self[..<count])
    }

    fileprivate var trimmed: UnsafeRawBufferPointer {
      var (start, end) = (0, count)
      while start < end, self[start].isBlank { start += 1 }
      while end > start, self[end - 1].isBlank { end -= 1 }
      return UnsafeRawBufferPointer(rebasing: self[start..<end])
    }

    /// UTF-8, or else ISO-8859-1, in which every byte stands for something.
    fileprivate var text: String {
      // Nearly always; to find out by `String(validating:as:)` takes longer than all the rest of a head.
      if allSatisfy({ $0 < 0x80 }) { return String(decoding: self, as: UTF8.self) }
      if let text = String(validating: self, as: UTF8.self) { return text }
      return String(String.UnicodeScalarView(map { Unicode.Scalar($0) }))
    }
  }
#endif
