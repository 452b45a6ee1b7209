import Foundation

/// Splits bytes that arrive in pieces into lines, which end with LF, CR LF or CR.
struct LineSplitter: Sendable {
  private var rest = Data()
  /// Whether the last byte was a CR, so that an LF now belongs to it.
  private var endedWithReturn = false
  /// The maximum number of bytes in a line.
  private let limit: Int

  init(limit: Int) { self.limit = limit }

  /// Returns the lines that end in a piece, without their terminators.
  mutating func split(_ chunk: Data) throws -> [Data] {
    var lines: [Data] = []
    var start = 0
    // The bytes are copied before the closure returns. Reading bytes from `Data` is slower.
    try unsafe chunk.withUnsafeBytes { bytes in
      for index in bytes.indices {
        let byte = unsafe bytes[index]
        if byte == 0x0A, endedWithReturn {
          start = index + 1
        } else if byte == 0x0A || byte == 0x0D {
          unsafe lines.append(try take(bytes[start..<index]))
          start = index + 1
        }
        endedWithReturn = byte == 0x0D
      }
      unsafe rest.append(contentsOf: bytes[start...])
    }
    guard rest.count <= limit else { throw tooLong }
    return lines
  }

  /// Returns the unterminated last line; `nil` if there is none.
  mutating func end() -> Data? {
    defer { rest = Data() }
    return rest.isEmpty ? nil : rest
  }

  private mutating func take(_ end: Slice<UnsafeRawBufferPointer>) throws -> Data {
    guard unsafe rest.count + end.count <= limit else { throw tooLong }
    unsafe rest.append(contentsOf: end)
    defer { rest = Data() }
    return rest
  }

  private var tooLong: LoadError {
    LoadError(.tooLarge, "a line of the stream has more than \(limit) bytes")
  }
}

/// Reads a stream line by line.
struct LineReader {
  private var chunks: ResponseStream.Iterator
  private var splitter: LineSplitter
  private var ready: ArraySlice<Data> = []
  private var isAtStart = true
  private var isAtEnd = false

  /// - Parameter limit: The maximum number of bytes in a line.
  init(_ stream: ResponseStream, limit: Int = 16 << 20) {
    chunks = stream.makeAsyncIterator()
    splitter = LineSplitter(limit: limit)
  }

  /// Returns the next line without its terminator; `nil` at the end of the body.
  mutating func next() async throws -> Data? {
    while ready.isEmpty, !isAtEnd {
      if let chunk = try await chunks.next() {
        ready = try splitter.split(chunk)[...]
      } else {
        isAtEnd = true
        ready = [splitter.end()].compactMap(\.self)[...]
      }
    }
    guard isAtStart else { return ready.popFirst() }
    isAtStart = false
    // A byte order mark isn't part of the text.
    return ready.popFirst().map { $0.starts(with: [0xEF, 0xBB, 0xBF]) ? $0.dropFirst(3) : $0 }
  }
}
