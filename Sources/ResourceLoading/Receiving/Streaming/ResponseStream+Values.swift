public import Foundation

extension ResponseStream {
  /// The values of a body that has one JSON document on each line, as they come. Empty lines are skipped.
  ///
  /// - Parameters:
  ///   - type: What to decode each line into.
  ///   - decoder: How to decode it.
  public func values<Value: Decodable & Sendable>(
    of type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder()
  ) -> Values<Value> {
    Values(stream: self, decoder: decoder)
  }

  /// Values decoded line by line.
  public struct Values<Value: Decodable & Sendable>: AsyncSequence, Sendable {
    fileprivate let stream: ResponseStream
    fileprivate let decoder: JSONDecoder

    /// Begins to read.
    public func makeAsyncIterator() -> Iterator {
      Iterator(lines: LineReader(stream), url: stream.url, decoder: decoder)
    }

    /// Reads value by value.
    public struct Iterator: AsyncIteratorProtocol {
      private var lines: LineReader
      private let url: URL
      private let decoder: JSONDecoder
      private var number = 0

      fileprivate init(lines: LineReader, url: URL, decoder: JSONDecoder) {
        self.lines = lines
        self.url = url
        self.decoder = decoder
      }

      /// The value on the next line that isn't empty.
      ///
      /// - Returns: `nil` at the end of the body.
      /// - Throws: A ``LoadError`` of kind ``LoadError/Kind/parsing`` for a line that isn't such a value, with its
      ///   number; and what ``ResponseStream/Iterator/next()`` throws.
      public mutating func next() async throws -> Value? {
        while let line = try await lines.next() {
          number += 1
          guard line.contains(where: { $0 != 0x20 && $0 != 0x09 }) else { continue }
          return try decode(line)
        }
        return nil
      }

      private func decode(_ line: Data) throws -> Value {
        do {
          return try decoder.read(Value.self, from: line)
        } catch let error as DecodingError {
          let response = Response(url: url, body: line)
          var failure = LoadError(decoding: error, of: Value.self, in: response)
          failure.parsing?.line = number
          throw failure
        } catch {
          throw LoadError(parser: error)
        }
      }
    }
  }
}
