import Foundation

/// Reads a stream line by line.
struct LineReader {
  private var chunks: ResponseStream.Iterator
  private var splitter: LineSplitter
  private var ready: ArraySlice<Data> = []
  private var isAtEnd = false

  /// - Parameter limit: How many bytes a line may have.
  init(_ stream: ResponseStream, limit: Int = 16 << 20) {
    chunks = stream.makeAsyncIterator()
    splitter = LineSplitter(limit: limit)
  }

  /// The next line, without its end; `nil` at the end of the body.
  mutating func next() async throws -> Data? {
    while ready.isEmpty, !isAtEnd {
      if let chunk = try await chunks.next() {
        ready = try splitter.split(chunk)[...]
      } else {
        isAtEnd = true
        ready = [splitter.end()].compactMap(\.self)[...]
      }
    }
    return ready.popFirst()
  }
}
