public import Foundation
import ResourcePrimitives

/// A body in the form in which it is sent: pieces in order, of a known length, which can be read
/// repeatedly.
public struct WireBody: Sendable, Hashable {
  /// A piece.
  @nonexhaustive
  public enum Segment: Sendable, Hashable {
    /// Bytes.
    case data(Data)
    /// A range of a file, as offsets from its beginning.
    case file(URL, Range<Int>)

    /// Its length in bytes.
    public var length: Int {
      switch self {
      case .data(let data): data.count
      case .file(_, let range): range.count
      }
    }
  }

  /// The pieces in the order in which they are sent; none is empty.
  public let segments: [Segment]
  /// The length of all pieces in bytes.
  public let length: Int

  /// What the body was made from.
  var source = Source()

  /// The description of a body, kept for error texts only, and the spool that is there as long as
  /// the body.
  struct Source: Sendable {
    var body: Request.Body?
    var spool: Spool?
    /// Called before each piece is read, with the number of bytes that are left behind it. Returns
    /// whether it may be sent now; if not, `resume` is called when it may. Where `resume` is `nil`
    /// the piece is read in any case. Throws if it mustn't be sent at all.
    var check: Check?

    typealias Check =
      @Sendable (_ remaining: Int, _ resume: (@Sendable () -> Void)?) throws -> Bool
  }

  /// Creates a body from pieces.
  ///
  /// - Parameter segments: The pieces in order; empty ones are left out.
  public init(_ segments: [Segment]) {
    self.segments = segments.filter { $0.length > 0 }
    length = segments.reduce(0) { $0 + $1.length }
  }

  /// Creates a body of bytes.
  public init(_ data: Data) { self.init([.data(data)]) }
}

extension WireBody {
  /// Whether its file is there only as long as the body.
  package var isTemporary: Bool { source.spool != nil }

  /// Returns whether two bodies send the same; what they were made from doesn't count.
  public static func == (one: WireBody, other: WireBody) -> Bool { one.segments == other.segments }

  /// Hashes what is sent.
  public func hash(into hasher: inout Hasher) { hasher.combine(segments) }
}

extension WireBody {
  /// The whole body in memory.
  ///
  /// - Returns: All bytes; files are read.
  /// - Throws: ``LoadError`` of kind ``LoadError/Kind/invalidRequest`` if a file can't be read or
  ///   has become shorter.
  public func data() throws -> Data {
    if segments.count == 1, case .data(let data) = segments[0] { return data }
    var whole = Data(capacity: length)
    var reader = makeReader()
    while let chunk = try reader.next(atMost: 1 << 20) { whole.append(chunk) }
    return whole
  }

  /// Reads the body from its beginning.
  public func makeReader() -> WireBodyReader { WireBodyReader(self) }
}

extension WireBody {
  /// Whether files are read for it.
  var hasFiles: Bool {
    segments.contains { if case .file = $0 { true } else { false } }
  }
}

extension WireBody.Segment {
  /// A whole file with its current length.
  package static func file(_ url: URL) throws -> Self {
    guard url.isFileURL else {
      throw LoadError(unreadable: url, "it isn't a file URL", advice: "Use a file URL")
    }
    let path = url.path(percentEncoded: false)
    guard !path.utf8.contains(0) else {
      throw LoadError(unreadable: url, "its path has a NUL", advice: "Use another name")
    }
    guard let status = systemTargetStatus(path) else {
      throw LoadError(unreadable: url, POSIXError(number: errno))
    }
    guard status.isFile else { throw LoadError(unreadable: url, "it is no regular file") }
    guard unsafe access(path, R_OK) == 0 else {
      throw LoadError(unreadable: url, POSIXError(number: errno))
    }
    return .file(url, 0..<Int(status.st_size))
  }
}

extension LoadError {
  /// The error of reading a body.
  init(sending error: any Error) {
    self =
      error as? LoadError
      ?? LoadError(.invalidRequest, "the body can't be read: \(error)", underlying: error)
  }

  /// Creates the error for a file that can't be sent.
  init(
    unreadable file: URL, _ why: String,
    advice: String = "Check that the file exists and is readable", underlying: (any Error)? = nil
  ) {
    let name = file.isFileURL ? file.path(percentEncoded: false) : "\(file)".redactedURL
    self.init(
      .invalidRequest, "the file \(name) can't be sent: \(why)", advice: advice,
      underlying: underlying)
  }

  /// Creates the error for a file that the system doesn't let read.
  fileprivate init(unreadable file: URL, _ reason: POSIXError) {
    let advice = reason.advice ?? "Check that the file exists and is readable"
    self.init(unreadable: file, reason.text, advice: advice, underlying: reason)
  }
}

/// Reads a body from its beginning to its end, piece by piece; a file is open only while it is
/// read.
public struct WireBodyReader: Sendable {
  private var segments: ArraySlice<WireBody.Segment>
  /// The bytes of the first segment that were read.
  private var offset = 0
  /// The number of bytes that weren't read.
  private var remaining: Int
  private var file: InputFile?
  /// Keeps the spool as long as it is read.
  private let source: WireBody.Source

  init(_ body: WireBody) {
    segments = body.segments[...]
    remaining = body.length
    source = body.source
  }

  /// Reads the next bytes.
  ///
  /// - Parameter count: The most bytes, at least 1.
  /// - Returns: At least one byte, or `nil` at the end.
  /// - Throws: ``LoadError`` of kind ``LoadError/Kind/invalidRequest`` if a file can't be read or
  ///   has become shorter.
  public mutating func next(atMost count: Int) throws -> Data? {
    guard let (segment, wanted) = next(atMost: count) else { return nil }
    _ = try source.check?(remaining - wanted, nil)
    return try read(wanted, of: segment)
  }

  /// Reads the next bytes for sending them, if they may be sent now: the last bytes of an upload
  /// may have to wait until it is stored that they are sent.
  ///
  /// A transport that uses this says so by ``Transport/canDelayBodies``.
  ///
  /// - Parameters:
  ///   - count: The most bytes, at least 1.
  ///   - resume: Called once, on any thread, when the bytes may be read; only after
  ///     ``Piece/later``.
  /// - Returns: The bytes, that they come later, or the end.
  /// - Throws: As ``next(atMost:)``.
  public mutating func next(
    atMost count: Int, whenReady resume: @escaping @Sendable () -> Void
  ) throws -> Piece {
    guard let (segment, wanted) = next(atMost: count) else { return .end }
    guard try source.check?(remaining - wanted, resume) ?? true else { return .later }
    return .bytes(try read(wanted, of: segment))
  }

  /// What is read for sending.
  @nonexhaustive
  public enum Piece: Sendable, Hashable {
    /// At least one byte.
    case bytes(Data)
    /// Bytes that must not be sent yet.
    case later
    /// Nothing more.
    case end
  }

  /// The segment of the next bytes, and their number.
  private func next(atMost count: Int) -> (segment: WireBody.Segment, count: Int)? {
    segments.first.map { ($0, min(count, $0.length - offset)) }
  }

  private mutating func read(_ wanted: Int, of segment: WireBody.Segment) throws -> Data {
    let chunk =
      switch segment {
      case .data(let data): data.dropFirst(offset).prefix(wanted)
      case .file(let url, let range): try read(wanted, of: url, from: range.lowerBound)
      }
    offset += chunk.count
    remaining -= chunk.count
    if offset == segment.length { advance() }
    return chunk
  }

  private mutating func advance() {
    segments.removeFirst()
    offset = 0
    file = nil
  }

  private mutating func opened(_ url: URL) throws(POSIXError) -> InputFile {
    if let file { return file }
    let file = try InputFile(url)
    self.file = file
    return file
  }

  /// Reads the next bytes of a file, which is opened first if it isn't open.
  private mutating func read(_ count: Int, of url: URL, from start: Int) throws -> Data {
    do {
      let chunk = try opened(url).read(count, at: start + offset)
      if !chunk.isEmpty { return chunk }
    } catch {
      throw LoadError(unreadable: url, error)
    }
    throw LoadError(
      unreadable: url, "it became shorter while it was sent",
      advice: "Send a file that nobody writes")
  }
}
