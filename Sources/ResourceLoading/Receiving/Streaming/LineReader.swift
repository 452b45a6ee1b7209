import Foundation

/// Reads a stream line by line.
struct LineReader {
  private var chunks: ResponseStream.Iterator
  private var splitter = LineSplitter(limit: 16 << 20)
  private var ready: ArraySlice<Data> = []
  private var isAtEnd = false

  init(_ stream: ResponseStream) { chunks = stream.makeAsyncIterator() }

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
