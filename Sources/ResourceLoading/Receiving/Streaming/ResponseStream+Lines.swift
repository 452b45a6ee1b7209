extension ResponseStream {
  /// The lines of the body, as they come: text in UTF-8 between LF, CR LF or CR. What isn't UTF-8 is replaced by
  /// U+FFFD; a line of more than 16 MiB is an error of kind ``LoadError/Kind/tooLarge``.
  public var lines: Lines { Lines(stream: self) }

  /// Lines of text.
  public struct Lines: AsyncSequence, Sendable {
    fileprivate let stream: ResponseStream

    /// Begins to read.
    public func makeAsyncIterator() -> Iterator { Iterator(lines: LineReader(stream)) }

    /// Reads line by line.
    public struct Iterator: AsyncIteratorProtocol {
      fileprivate var lines: LineReader

      /// The next line, without its end.
      ///
      /// - Returns: `nil` at the end of the body.
      /// - Throws: What ``ResponseStream/Iterator/next()`` throws, or a ``LoadError`` of kind
      ///   ``LoadError/Kind/tooLarge``.
      public mutating func next() async throws -> String? {
        try await lines.next().map { String(decoding: $0, as: UTF8.self) }
      }
    }
  }
}
