/// Parses response heads and trailers from their lines.
///
/// They are read in place, and texts are copied from them. No index is outside of a line, which an
/// optimised build wouldn't check.
struct ResponseHeadReader {
  /// The maximum number of bytes in all heads of one exchange: 256 KiB.
  static let maximumSize = 256 << 10
  /// The maximum number of lines in one head, including folded ones.
  static let maximumCount = 1_000

  /// Whether a head that isn't interim was complete.
  private(set) var isComplete = false
  /// Whether anything was read.
  var hasBegun: Bool { size > 0 }
  /// Whether the connection speaks HTTP/2, for which libcurl writes the status line.
  var speaksHTTP2 = false
  private let isForHEAD: Bool
  private var status: Status?
  private var fields: [Headers.Field] = []
  /// Whether the next line may continue the last field.
  private var mayFold = false
  /// Whether a field that frames the body is written so that libcurl doesn't recognise it:
  /// folded, or with a space before its colon.
  private var hidesFraming = false
  private var size = 0
  private var count = 0

  init(for method: Request.Method = .get) { isForHEAD = method == .head }
}

extension ResponseHeadReader {
  /// What a line completes.
  enum Section {
    /// An interim head (1xx).
    case interim(ResponseHead)
    case final(ResponseHead)
  }

  /// Parses a line with its terminator.
  mutating func read(_ line: UnsafeRawBufferPointer) throws(LoadError) -> Section? {
    size += line.count
    guard size <= Self.maximumSize else { throw .headTooLong }
    guard !isComplete else {
      try unsafe readTrailer(line.withoutLineEnd)
      return nil
    }
    let line = unsafe line.withoutLineEnd
    // RFC 9112 section 2.2: other parsers would take a CR within a line for the end of one.
    guard unsafe !line.contains(0x0D) else { throw .strayCarriageReturn }
    guard let status else {
      try unsafe begin(line)
      return nil
    }
    if unsafe line.isEmpty { return try end(status) }
    count += 1
    guard count <= Self.maximumCount else { throw .tooManyHeaders }
    if unsafe line[0].isBlank {
      try unsafe fold(line.trimmed.text)
    } else {
      unsafe append(line)
    }
    return nil
  }

  /// Parses a line of the trailers. Those that can't be read are skipped.
  private mutating func readTrailer(_ line: UnsafeRawBufferPointer) throws(LoadError) {
    guard unsafe !line.isEmpty, unsafe !line.contains(0x0D) else { return }
    count += 1
    guard count <= Self.maximumCount else { throw .tooManyHeaders }
    if unsafe !line[0].isBlank { unsafe append(line) }
  }

  /// The trailers, once the body is complete.
  var trailers: Headers { isComplete ? Headers(fields) : Headers() }

  private mutating func begin(_ line: UnsafeRawBufferPointer) throws(LoadError) {
    status = unsafe Status(line: line)
    // libcurl would send the next request before the response has ended.
    guard unsafe speaksHTTP2 || line.count <= 5 || line[5] == UInt8(ascii: "1") else {
      throw .unknownVersion
    }
    (fields, mayFold, hidesFraming, count) = ([], false, false, 0)
    // Most heads have no more.
    fields.reserveCapacity(16)
  }

  private mutating func end(_ status: Status) throws(LoadError) -> Section? {
    self.status = nil
    var head = ResponseHead(status: status, headers: Headers(fields))
    (fields, count) = ([], 0)
    guard !status.isInformational || status == 101 else { return .interim(head) }
    isComplete = true
    if !isForHEAD, status.hasBody {
      guard !hidesFraming else { throw .hiddenFraming }
      try head.checkFraming()
    }
    return .final(head)
  }

  /// Appends the field of a line. One without a colon or a name is skipped.
  private mutating func append(_ line: UnsafeRawBufferPointer) {
    let colon = unsafe line.firstIndex(of: UInt8(ascii: ":")) ?? 0
    mayFold = colon > 0
    guard mayFold else { return }
    let name = unsafe UnsafeRawBufferPointer(rebasing: line[..<colon])
    let value = unsafe UnsafeRawBufferPointer(rebasing: line[(colon + 1)...])
    let field = unsafe Headers.Field(
      Headers.Name(rawValue: name.trimmed.text), value.trimmed.text)
    if unsafe line[colon - 1].isBlank, field.isFraming { hidesFraming = true }
    fields.append(field)
  }

  /// Adds a folded line to the last field (RFC 9112 section 5.2).
  private mutating func fold(_ text: String) throws(LoadError) {
    guard mayFold else { throw .foldedFirst }
    // A value has no trailing space.
    guard !text.isEmpty else { return }
    let last = fields.endIndex - 1
    if fields[last].isFraming { hidesFraming = true }
    if !fields[last].value.isEmpty { fields[last].value += " " }
    fields[last].value += text
  }
}

extension Headers.Field {
  /// Whether it says where the body ends.
  fileprivate var isFraming: Bool { name == .contentLength || name == .transferEncoding }
}

extension LoadError {
  fileprivate static let hiddenFraming = LoadError(
    .connection,
    "the Content-Length or Transfer-Encoding is folded, or has a space before its colon")

  fileprivate static let unknownVersion = LoadError(
    .connection, "the status line names another version of HTTP than the connection speaks")

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
    guard line.count >= 9, unsafe line[0] == UInt8(ascii: "H"),
      unsafe line.starts(with: "HTTP/".utf8),
      let space = unsafe line.firstIndex(of: UInt8(ascii: " "))
    else { return nil }
    let digits = unsafe line[(space + 1)...].prefix(3)
    guard unsafe digits.count == 3, unsafe digits.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    unsafe self.init(rawValue: digits.reduce(0) { $0 * 10 + Int($1 & 0x0F) })
  }
}

extension UInt8 {
  fileprivate var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
}

extension UnsafeRawBufferPointer {
  fileprivate var withoutLineEnd: UnsafeRawBufferPointer {
    var count = count
    while count > 0, unsafe self[count - 1] == 0x0A || self[count - 1] == 0x0D { count -= 1 }
    return unsafe UnsafeRawBufferPointer(rebasing: self[..<count])
  }

  fileprivate var trimmed: UnsafeRawBufferPointer {
    var (start, end) = (0, count)
    while start < end, unsafe self[start].isBlank { start += 1 }
    while end > start, unsafe self[end - 1].isBlank { end -= 1 }
    return unsafe UnsafeRawBufferPointer(rebasing: self[start..<end])
  }

  /// The text in UTF-8, or otherwise in ISO-8859-1, in which every byte is a character.
  fileprivate var text: String {
    // The usual case; `String(validating:as:)` takes longer than the rest of a head.
    if unsafe allSatisfy({ $0 < 0x80 }) { return unsafe String(decoding: self, as: UTF8.self) }
    if let text = unsafe String(validating: self, as: UTF8.self) { return text }
    return unsafe String(String.UnicodeScalarView(map { Unicode.Scalar($0) }))
  }
}
