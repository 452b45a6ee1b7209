public import Foundation
import PromiseModule
import ResourcePrimitives

/// The body of a response as it arrives, for one reader.
///
/// If the reader is slower than the server, some hundred kilobytes are buffered, and then the
/// transport stops reading from the connection. `URLSession` can't do that: a reader that is 64 MiB
/// behind gets an error.
///
/// The load is cancelled when the last copy of the stream and of its iterators is gone, or when the
/// reading task is cancelled.
public struct ResponseStream: AsyncSequence, Sendable {
  /// The URL that answered.
  public let url: URL
  /// The status, one of those that the request accepts.
  public let status: Status
  /// The headers.
  public let headers: Headers

  private let owner: Owner
  private let request: Request
  private let errorContext: ErrorContext
  /// The client's decoder.
  private let decoder: JSONDecoder

  init(_ head: StreamHead, _ owner: Owner, to request: Request, decoder: JSONDecoder) {
    url = head.url
    errorContext = head.errorContext
    status = head.head.status
    headers = head.head.headers
    self.owner = owner
    self.request = request
    self.decoder = decoder
  }

  /// Begins or continues to read: all iterators read from the same body.
  public func makeAsyncIterator() -> Iterator { Iterator(owner: owner) }

  /// Reads pieces as they arrive.
  public struct Iterator: AsyncIteratorProtocol {
    private let owner: Owner

    init(owner: Owner) { self.owner = owner }

    /// Returns the next piece of the decoded body, which is never empty.
    ///
    /// - Returns: `nil` at the end of the body.
    /// - Throws: The ``LoadError`` of a load that failed, or `CancellationError` if the task is
    ///   cancelled.
    public mutating func next() async throws -> Data? {
      try await owner.next()
    }
  }

  /// Cancels the load when the last reader is gone.
  final class Owner: Sendable {
    private let channel: StreamChannel
    private let load: Promise<Void>

    init(_ channel: StreamChannel, _ load: Promise<Void>) {
      self.channel = channel
      self.load = load
    }

    deinit { load.cancel() }

    func head() async throws -> StreamHead {
      do { return try await channel.head.get() } catch { throw given(up: error) }
    }

    func next() async throws -> Data? {
      do { return try await channel.next() } catch { throw given(up: error) }
    }

    private func given(up error: any Error) -> any Error {
      if error is CancellationError { load.cancel() }
      return error
    }
  }
}

extension ResponseStream {
  /// The lines of the body as they arrive: text in UTF-8 between LF, CR LF or CR. Bytes that aren't
  /// UTF-8 are replaced by U+FFFD. A line of more than 16 MiB is an error of kind
  /// ``LoadError/Kind/tooLarge``.
  public var lines: Lines { Lines(stream: self) }

  /// Lines of text.
  public struct Lines: AsyncSequence, Sendable {
    fileprivate let stream: ResponseStream

    /// Begins to read.
    public func makeAsyncIterator() -> Iterator { Iterator(lines: LineReader(stream)) }

    /// Reads line by line.
    public struct Iterator: AsyncIteratorProtocol {
      fileprivate var lines: LineReader

      /// Returns the next line without its terminator.
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

extension ResponseStream {
  /// The values of a body that has one JSON document on each line, as they arrive. Empty lines are
  /// skipped.
  ///
  /// - Parameters:
  ///   - type: The type of each line's value.
  ///   - decoder: The settings for decoding; `nil` for the client's.
  public func values<Value: Decodable & Sendable>(
    of type: Value.Type = Value.self, decoder: JSONDecoder? = nil
  ) -> Values<Value> {
    Values(stream: self, decoder: decoder ?? self.decoder)
  }

  /// Values decoded line by line.
  public struct Values<Value: Decodable & Sendable>: AsyncSequence, Sendable {
    fileprivate let stream: ResponseStream
    fileprivate let decoder: JSONDecoder

    /// Begins to read.
    public func makeAsyncIterator() -> Iterator {
      Iterator(lines: LineReader(stream), stream: stream, decoder: decoder)
    }

    /// Reads value by value.
    public struct Iterator: AsyncIteratorProtocol {
      private var lines: LineReader
      private let stream: ResponseStream
      private let decoder: JSONDecoder
      private var number = 0

      fileprivate init(lines: LineReader, stream: ResponseStream, decoder: JSONDecoder) {
        self.lines = lines
        self.stream = stream
        self.decoder = decoder
      }

      /// Returns the value on the next line that isn't empty.
      ///
      /// - Returns: `nil` at the end of the body.
      /// - Throws: A ``LoadError`` of kind ``LoadError/Kind/parsing`` for a line that isn't such a
      ///   value, with its number; and what ``ResponseStream/Iterator/next()`` throws.
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
        } catch {
          let response = Response(url: stream.url, body: line)
          var failure =
            (error as? DecodingError).map { LoadError(decoding: $0, of: Value.self, in: response) }
            ?? LoadError(parser: error)
          failure.parsing?.line = number
          throw stream.errorContext.explain(failure)
        }
      }
    }
  }
}

extension ResponseStream: CustomReflectable {
  /// Shows the head of the response without secrets.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "url": url.absoluteString.redactedURL(secretNames: request.options.secretNames).printable,
        "status": status,
        "headers": headers.redacted(secretNames: request.options.secretNames),
      ])
  }
}
