import PromiseModule
import ResourcePrimitives

extension Client {
  /// Loads a response whose body is read as it arrives.
  ///
  /// ```swift
  /// let stream = try await client.stream(.get("/log"))
  /// for try await line in stream.lines { print(line) }
  /// ```
  ///
  /// Middleware, limits and deadlines are those of every load: the total time limit includes the
  /// time of reading. A load that fails before the first byte may be retried; later, its failure is
  /// that of the stream.
  ///
  /// - Parameter request: The request.
  /// - Returns: The stream, as soon as the head of an accepted response is there.
  /// - Throws: A ``LoadError`` if there is no accepted response, or `CancellationError` as soon as
  ///   the calling task is cancelled.
  @concurrent
  public func stream(_ request: Request) async throws -> ResponseStream {
    try Task.checkCancellation()
    let options = request.options.completed(by: configuration.options)
    let destination = StreamDestination(accepted: options.acceptedStatuses ?? .successful)
    let load = Promise<Void> { [self] in
      try await self.load(Resource.void(request), into: destination)
    }
    load.observe(on: .inline) { [channel = destination.channel] result in
      if case .failure(let error) = result { channel.end(error) } else { channel.end(nil) }
    }
    let body = ChannelBody(destination.channel, load)
    let complete = try pipeline.completed(Resource.void(request)).request
    let head = try await body.head()
    return ResponseStream(
      head.url, head.head.status, head.head.headers, body, to: complete,
      decoder: configuration.decoder)
  }
}

extension Client {
  /// Returns the events that a server sends over a stream (WHATWG HTML section 9.2), as they
  /// arrive.
  ///
  /// ```swift
  /// for try await event in client.events(of: .get("/updates")) {
  ///   print(event.type, event.data)
  /// }
  /// ```
  ///
  /// The stream is opened when the sequence is iterated. When it ends or breaks, it is opened
  /// again, with `Last-Event-ID`, after the time that the server has sent, or 3 seconds; after
  /// several failures in a row the pauses grow. No pause is longer than a day, and streams without
  /// an event aren't opened again without one. A status other than 200 or another media type than
  /// `text/event-stream` is an error and ends the sequence; 204 ends it without one. There is no
  /// time limit unless the request has one; over libcurl a silent connection is probed by TCP, so
  /// that it counts as broken some minutes after its server is gone.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - maximumFailures: The most failures of the stream in a row without an event in between; one
  ///     more is thrown.
  ///   - maximumEventSize: The most bytes in the lines of one event; one with more ends the
  ///     sequence with an error of kind ``LoadError/Kind/tooLarge``.
  /// - Returns: The events; each iterator opens a stream of its own.
  public func events(
    of request: Request, maximumFailures: Int = 5, maximumEventSize: Int = 16 << 20
  ) -> ServerSentEvents {
    ServerSentEvents(
      client: self, request: request, maximumFailures: maximumFailures,
      maximumEventSize: maximumEventSize)
  }
}

/// The events of a stream, which is opened again when it breaks; see
/// ``Client/events(of:maximumFailures:maximumEventSize:)``.
public struct ServerSentEvents: AsyncSequence, Sendable {
  fileprivate let client: Client
  fileprivate let request: Request
  fileprivate let maximumFailures: Int
  fileprivate let maximumEventSize: Int

  /// Begins to listen.
  public func makeAsyncIterator() -> Iterator { Iterator(events: self) }

  /// Listens until it is released.
  public struct Iterator: AsyncIteratorProtocol {
    private let events: ServerSentEvents
    private var parser: ServerSentEventParser
    private var reconnection: Reconnection
    private var stream = Stream.closed

    private enum Stream {
      case closed
      case open(LineReader)
      /// The server has ended the events, or an error has.
      case over
    }

    fileprivate init(events: ServerSentEvents) {
      self.events = events
      parser = ServerSentEventParser(limit: events.maximumEventSize)
      reconnection = Reconnection(maximumFailures: events.maximumFailures)
    }

    /// Returns the next event.
    ///
    /// - Returns: `nil` once the server has ended the events by a 204.
    /// - Throws: A ``LoadError`` if the stream can't be opened, or fails too often;
    ///   `CancellationError` if the calling task is cancelled.
    public mutating func next() async throws -> ServerSentEvent? {
      while true {
        do {
          switch stream {
          case .closed: stream = try await opened()
          case .open(let lines):
            if let event = try await event(in: lines) { return event }
          case .over: return nil
          }
        } catch {
          stream = reconnection.permits(after: error) ? .closed : .over
          if case .over = stream { throw error }
        }
      }
    }

    /// Returns the next event of a stream; `nil` if it ends before.
    private mutating func event(in lines: LineReader) async throws -> ServerSentEvent? {
      var lines = lines
      stream = .closed
      while let line = try await lines.next() {
        guard let event = try parser.take(line) else { continue }
        reconnection.received()
        stream = .open(lines)
        return event
      }
      return nil
    }

    /// Opens a stream, after a pause if it isn't the first.
    private mutating func opened() async throws -> Stream {
      if let pause = reconnection.open(after: parser.reconnectionTime) {
        try await events.client.pause(for: pause, before: request)
      }
      parser.restart()
      let response = try await events.client.stream(request)
      guard response.status != .noContent else { return .over }
      let type = response.headers.mediaType
      guard type?.essence == "text/event-stream" else {
        throw LoadError(
          .parsing, "the server sends \(type?.rawValue ?? "no media type"), not text/event-stream",
          advice: "Check the URL")
      }
      return .open(LineReader(response, limit: events.maximumEventSize))
    }

    private var request: Request {
      var request = events.request
      request.headers[.accept] =
        request.headers.hasExplicit(.accept) ? request.headers[.accept] : "text/event-stream"
      request.headers[.cacheControl] = request.headers[.cacheControl] ?? "no-store"
      if !parser.lastEventID.isEmpty { request.headers["Last-Event-ID"] = parser.lastEventID }
      // It comes from the origin that a redirect leads to.
      request.options.crossOriginHeaders =
        (request.options.crossOriginHeaders ?? []).union(["Last-Event-ID"])
      request.options.acceptedStatuses = [.ok, .noContent]
      request.options.timeout = request.options.timeout ?? .century
      request.options.idleTimeout = request.options.idleTimeout ?? .century
      return request
    }
  }
}
