public import Foundation
import ResourcePrimitives
import Synchronization

/// The body of a response as it arrives, for one reader.
///
/// If the reader is slower than the server, some hundred kilobytes are buffered, and then the
/// transport stops reading from the connection. `URLSession` can't do that: a reader that is 64 MiB
/// behind gets an error.
///
/// The load is cancelled when the last copy of the stream and of its iterators is released, or when
/// the reading task is cancelled.
public struct ResponseStream: AsyncSequence, Sendable {
  /// The URL of the response.
  public let url: URL
  /// The status, one of those that the request accepts.
  public let status: Status
  /// The headers.
  public let headers: Headers

  private let body: any StreamedBody
  let request: Request
  let decoder: JSONDecoder

  init(
    _ url: URL, _ status: Status, _ headers: Headers, _ body: any StreamedBody, to request: Request,
    decoder: JSONDecoder
  ) {
    self.url = url
    self.status = status
    self.headers = headers
    self.body = body
    self.request = request
    self.decoder = decoder
  }

  /// Adds the load's details to the error of a body that can't be decoded.
  func explain(_ error: LoadError) -> any Error { body.explain(error, to: request) }

  /// Begins or continues to read. All iterators read from the same body.
  public func makeAsyncIterator() -> Iterator { Iterator(body: body) }

  /// Reads pieces as they arrive.
  public struct Iterator: AsyncIteratorProtocol {
    private let body: any StreamedBody

    init(body: any StreamedBody) { self.body = body }

    /// Returns the next piece of the decoded body, which is never empty.
    ///
    /// - Returns: `nil` at the end of the body.
    /// - Throws: The ``LoadError`` of a load that failed, or `CancellationError` if the task is
    ///   cancelled.
    public mutating func next() async throws -> Data? {
      try await body.next()
    }
  }
}

/// The body of a response as it arrives.
protocol StreamedBody: AnyObject, Sendable {
  /// Returns the next piece, which isn't empty; `nil` at the end.
  func next() async throws -> Data?

  /// Adds the load's details to the error of a body that can't be decoded.
  func explain(_ error: LoadError, to request: Request) -> any Error
}

/// The body of a loader that gives whole bodies only.
private final class WholeBody: StreamedBody {
  private let body: Mutex<Data?>

  init(_ body: Data) { self.body = Mutex(body.isEmpty ? nil : body) }

  func next() async throws -> Data? {
    try Task.checkCancellation()
    return body.withLock { $0.take() }
  }

  func explain(_ error: LoadError, to request: Request) -> any Error {
    var error = error
    error.curlCommand = request.curlCommand
    return error
  }
}

extension Loader {
  /// Loads a response, whose body is there as a whole before it is read.
  ///
  /// ``Client`` reads bodies as they arrive. This is the form for loaders that can't.
  ///
  /// - Parameter request: The request.
  /// - Returns: The stream, which has the body as one piece.
  /// - Throws: A ``LoadError`` if there is no accepted response, or `CancellationError` if the
  ///   calling task is cancelled.
  public func stream(_ request: Request) async throws -> ResponseStream {
    let response = try await load(Resource(request, parsing: .none) { $0 })
    return ResponseStream(
      response.url, response.status, response.headers, WholeBody(response.body), to: request,
      decoder: response.decoder)
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
  /// The events of the body as they arrive (WHATWG HTML section 9.2). The stream isn't opened again
  /// when it ends; ``Client/events(of:maximumFailures:maximumEventSize:)`` does that.
  ///
  /// An event with more than 16 MiB in its lines is an error of kind ``LoadError/Kind/tooLarge``.
  public var events: Events { Events(stream: self) }

  /// Events of a stream.
  public struct Events: AsyncSequence, Sendable {
    fileprivate let stream: ResponseStream

    /// Begins to read.
    public func makeAsyncIterator() -> Iterator { Iterator(lines: LineReader(stream)) }

    /// Reads event by event.
    public struct Iterator: AsyncIteratorProtocol {
      fileprivate var lines: LineReader
      private var parser = ServerSentEventParser(limit: 16 << 20)

      fileprivate init(lines: LineReader) { self.lines = lines }

      /// Returns the next event.
      ///
      /// - Returns: `nil` at the end of the body.
      /// - Throws: What ``ResponseStream/Iterator/next()`` throws, or a ``LoadError`` of kind
      ///   ``LoadError/Kind/tooLarge``.
      public mutating func next() async throws -> ServerSentEvent? {
        while let line = try await lines.next() {
          if let event = try parser.take(line) { return event }
        }
        return nil
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
