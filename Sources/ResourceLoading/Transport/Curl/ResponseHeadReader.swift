#if Curl && canImport(CResourceCurl)
  /// Parses response heads from the lines that libcurl delivers.
  struct ResponseHeadReader {
    /// The result of a line.
    enum Step {
      case more
      /// A head that isn't interim (1xx) is complete.
      case head(ResponseHead)
      case failure(LoadError)
    }

    /// The maximum number of bytes in all heads of one exchange: 256 KiB.
    static let maximumSize = 256 << 10
    /// The maximum number of lines in one head, including folded ones.
    static let maximumCount = 1_000

    /// Whether a head that isn't interim was complete.
    private(set) var isComplete = false
    /// Whether the last status line was that of HTTP/1.
    private(set) var speaksHTTP1 = true
    private let isForHEAD: Bool
    private var status: Status?
    private var fields = Headers()
    /// The field that a folded line continues.
    private var last: Headers.Field?
    private var size = 0
    private var count = 0

    /// - Parameter method: The method of the request: the response to `HEAD` has no body, whatever its head says.
    init(for method: Request.Method = .get) { isForHEAD = method == .head }
  }

  extension ResponseHeadReader {
    /// Parses a line with its terminator. Lines of trailers are skipped.
    mutating func read(_ line: UnsafeRawBufferPointer) -> Step {
      size += line.count
      guard size <= Self.maximumSize else { return .failure(.headTooLong) }
      // The next lines are trailers.
      guard !isComplete else { return .more }
      let line = line.withoutLineEnd
      // RFC 9112 section 2.2: other parsers would take a CR within a line for the end of one.
      guard !line.contains(0x0D) else { return .failure(.strayCarriageReturn) }
      guard let status else {
        begin(line)
        return .more
      }
      if line.isEmpty { return end(status) }
      count += 1
      guard count <= Self.maximumCount else { return .failure(.tooManyHeaders) }
      return append(line) ? .more : .failure(.foldedFirst)
    }

    private mutating func begin(_ line: UnsafeRawBufferPointer) {
      status = Status(line: line)
      speaksHTTP1 = line.count > 5 && line[5] == UInt8(ascii: "1")
      (fields, last, count) = (Headers(), nil, 0)
    }

    private mutating func end(_ status: Status) -> Step {
      finishLast()
      self.status = nil
      guard !status.isInformational || status == 101 else { return .more }
      isComplete = true
      var head = ResponseHead(status: status, headers: fields)
      do throws(LoadError) {
        if !isForHEAD, status.hasBody { try head.checkFraming() }
      } catch {
        return .failure(error)
      }
      return .head(head)
    }

    /// - Returns: Whether the line is valid; a folded line without a field before it isn't.
    private mutating func append(_ line: UnsafeRawBufferPointer) -> Bool {
      guard !line[0].isBlank else { return addToLast(line.trimmed.text) }
      finishLast()
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0 else { return true }
      let name = UnsafeRawBufferPointer(rebasing: line[..<colon])
      let value = UnsafeRawBufferPointer(rebasing: line[(colon + 1)...])
      last = Headers.Field(Headers.Name(rawValue: name.trimmed.text), value.trimmed.text)
      return true
    }

    /// RFC 9112 section 5.2, obsolete line folding.
    private mutating func addToLast(_ text: String) -> Bool {
      guard last != nil else { return false }
      // A value has no trailing space.
      guard !text.isEmpty else { return true }
      if last?.value.isEmpty == false { last?.value += " " }
      last?.value += text
      return true
    }

    private mutating func finishLast() {
      if let last { fields.append(last.name, last.value) }
      last = nil
    }
  }

  extension LoadError {
    fileprivate static let headTooLong = LoadError(
      .tooLarge, "the headers have more than \(ResponseHeadReader.maximumSize) bytes")

    fileprivate static let tooManyHeaders = LoadError(
      .tooLarge, "the response has more than \(ResponseHeadReader.maximumCount) header lines")

    fileprivate static let strayCarriageReturn = LoadError(
      .connection, "a header holds a carriage return")

    fileprivate static let foldedFirst = LoadError(
      .connection, "a folded line stands before the first header")
  }

  extension Status {
    /// Parses `HTTP/1.1 200 OK` or `HTTP/2 200`.
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

    /// The text in UTF-8, or otherwise in ISO-8859-1, in which every byte is a character.
    fileprivate var text: String {
      // The usual case; `String(validating:as:)` takes longer than the rest of a head.
      if allSatisfy({ $0 < 0x80 }) { return String(decoding: self, as: UTF8.self) }
      if let text = String(validating: self, as: UTF8.self) { return text }
      return String(String.UnicodeScalarView(map { Unicode.Scalar($0) }))
    }
  }
#endif
