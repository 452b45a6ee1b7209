#if URLSession || !os(Linux)
  public import Foundation
  public import PromiseModule

  #if canImport(FoundationNetworking)
    public import FoundationNetworking
  #endif

  extension URLSession: Loader {
    /// Loads a resource with a data task of this session.
    ///
    /// The session's configuration counts: its headers, cookies, proxies,
    /// `timeoutIntervalForRequest`, and `timeoutIntervalForResource` for the load as a whole. Its
    /// delegate is asked before a redirect is followed and answers challenges; none of its other
    /// methods is called, as with tasks that have a completion handler. `URLSession.shared` works
    /// too.
    ///
    /// Redirects are followed here, by the rules of RFC 9110, at most 20 of them, never from https to
    /// http, and without credentials and cookies once the origin has changed. Time is kept here as
    /// well: URLSession's own timers are coarse on Linux. There the first load also removes the
    /// `urlCache` from the session: it stores nothing that comes over HTTP, and a cancelled load
    /// could crash the process.
    ///
    /// > Important: On Linux with Swift 6.3 a server that sends chunked trailers, or closes the
    /// > connection inside the headers, crashes the process from within URLSession. Nothing above it
    /// > can prevent that.
    ///
    /// > Important: On Apple platforms, loading with an invalidated session raises an exception, which
    /// > ends the process: there is no way to ask a session for that. On Linux the load fails with
    /// > ``LoadError/Kind/closed``.
    ///
    /// - Parameter resource: What to load and how to read it; its request needs an absolute URL.
    /// - Returns: The value that the resource's parser made of the response.
    /// - Throws: A ``LoadError`` that says what went wrong, of kind ``LoadError/Kind/invalidRequest``
    ///   for a background session, or `CancellationError` as soon as the calling task is cancelled. A
    ///   status that isn't accepted is an error, and the parser isn't called then.
    @concurrent
    public func load<R>(_ resource: Resource<R>) async throws -> R {
      let pipeline = Pipeline(ExchangeRunner(transport: URLSessionTransport(session: self)))
      var resource = resource
      resource.request.options.timeout = resource.request.options.timeout ?? timeout
      return try await pipeline.load(resource)
    }

    /// The time limit of a whole load in the configuration; `nil` for longer than a century.
    private var timeout: Duration? {
      let seconds = configuration.timeoutIntervalForResource
      return seconds > 0 && seconds < 3_153_600_000 ? .seconds(seconds) : nil
    }
  }

  extension URLSession {
    /// Loads a URL with a parser of its body, and calls back.
    ///
    /// ```swift
    /// let task = URLSession.shared.load(url, parser: { data in data.count }) { result in
    ///   print(result)
    /// }
    /// ```
    ///
    /// The other forms, and other loaders, take a ``Resource/init(url:parser:)``.
    ///
    /// - Parameters:
    ///   - url: An absolute `http` or `https` URL.
    ///   - parser: Reads the value out of the decoded body.
    ///   - executor: The executor of `callback`, such as a dispatch queue; `nil` for the background.
    ///   - callback: Called exactly once: with the value, with a ``LoadError``, or with
    ///     `CancellationError`.
    /// - Returns: The task of the load. Cancelling it cancels the load: the callback gets
    ///   `CancellationError`, unless it has been called or is being called.
    @discardableResult
    public func load<R: Sendable>(
      _ url: URL, parser: @escaping @Sendable (Data) throws -> R,
      on executor: (any PromiseExecutor)? = nil,
      callback: @escaping @Sendable (Result<R, any Error>) -> Void
    ) -> Task<Void, Never> {
      load(Resource(url: url, parser: parser), on: executor, callback: callback)
    }
  }
#endif
