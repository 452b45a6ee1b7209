public import Foundation
public import PromiseModule
import Synchronization

/// Loads resources of one service: with its base URL, its defaults, and the middleware that its requests
/// need.
///
/// ```swift
/// let github = Client(baseURL: URL(string: "https://api.github.com")!) {
///   $0.headers[.userAgent] = "octo/1.0"
///   $0.middleware = [RetryMiddleware(), BearerAuthentication(token: token)]
/// }
/// let user = try await github.load(.user("octocat"))
/// ```
///
/// A client has connections of its own and shares nothing with other clients, unless it is given a
/// `URLSession`. Make one and keep it. When it goes, its connections are closed.
///
/// All members may be used from any thread.
public final class Client: Loader {
  /// What the client was made with.
  public let configuration: Configuration
  let chain: Chain
  let clock: LoadClock
  /// The connections that nobody else uses.
  private let ownTransport: OwnTransport?
  private let loads = Mutex(ClientLoads())

  /// Makes a client.
  ///
  /// - Parameter configuration: What it does for each request.
  public init(_ configuration: Configuration) {
    self.configuration = configuration
    if let transport = configuration.transport {
      ownTransport = nil
      chain = Chain(configuration, over: transport)
    } else {
      let transport = OwnTransport()
      ownTransport = transport
      chain = Chain(configuration, over: transport)
    }
    clock = LoadClock(configuration.clock)
  }

  /// Makes a client for a service.
  ///
  /// - Parameters:
  ///   - baseURL: What paths are appended to; `nil` if all requests have absolute URLs.
  ///   - configure: Sets the rest.
  public convenience init(
    baseURL: URL? = nil, _ configure: (inout Configuration) -> Void = { _ in }
  ) {
    var configuration = Configuration(baseURL: baseURL)
    configure(&configuration)
    self.init(configuration)
  }

  deinit {
    chain.background?.close()
    ownTransport?.close()
  }
}

extension Client {
  /// Where callbacks run that name no executor: ``Configuration/callbackExecutor``.
  public var callbackExecutor: any PromiseExecutor { configuration.callbackExecutor }
}

// MARK: - Loading

extension Client {
  /// Loads a resource: completes its request, sends it through the middleware, checks the status, parses
  /// the body.
  ///
  /// - Parameter resource: What to load and how to read it. Its request may have an absolute URL or a path
  ///   below the base URL.
  /// - Returns: What the resource's parser made of the response.
  /// - Throws: A ``LoadError`` that says what went wrong, of kind ``LoadError/Kind/closed`` if the client
  ///   was or is closed, or `CancellationError` as soon as the calling task is cancelled.
  @concurrent
  public func load<R>(_ resource: Resource<R>) async throws -> R {
    try Task.checkCancellation()
    guard chain.isWithoutOthers(for: resource.request) else {
      return try await begin(resource).get()
    }
    let (id, run) = try prepare(resource)
    enter(run, id) { [context = run.context] in context.end(for: $0) }
    defer { finish(id) }
    return try await run()
  }

  /// Begins a load in a task of its own, so that its time limit and closing the client can end it wherever it
  /// waits.
  ///
  /// - Parameters:
  ///   - resource: What to load.
  ///   - destination: Where its body goes; `nil` for what the request says.
  /// - Throws: `LoadError` if the client is closed or the request can't be completed.
  func begin<R>(
    _ resource: Resource<R>, into destination: (any BodyDestination)? = nil
  ) throws -> Promise<R> {
    let (id, run) = try prepare(resource, into: destination)
    let (promise, resolver) = Promise<R>.pending()
    let task = Task.startingHere { [self] in
      do { resolver.fulfill(try await run()) } catch { resolver.reject(error) }
      finish(id)
    }
    resolver.onCancel { task.cancel() }
    enter(run, id) { [context = run.context] reason in
      // First the work ends, so that nothing of it is left when the caller hears of it.
      context.end(for: reason)
      task.cancel()
      resolver.reject(context.explain(reason))
    }
    return promise
  }

  private func prepare<R>(
    _ resource: Resource<R>, into destination: (any BodyDestination)? = nil
  ) throws -> (id: UInt64, LoadRun<R>) {
    guard let id = loads.withLock({ $0.nextID() }) else {
      throw ErrorContext(resource.request).explain(LoadError.clientClosed)
    }
    let run = try LoadRun(
      resource, through: chain, id: id, clock: clock, destination: destination,
      observer: configuration.observer)
    return (id, run)
  }

  /// Has a load end when its time is over and when the client is closed.
  private func enter<R>(
    _ run: LoadRun<R>, _ id: UInt64, _ end: @escaping @Sendable (LoadError) -> Void
  ) {
    let timer = run.context.deadline.map { deadline in
      DeadlineTimer(at: deadline, on: clock) {
        end(LoadError(tookLongerThan: run.context.timeout))
      }
    }
    if loads.withLock({ $0.begin(id, ClientLoads.Load(end: end, timer: timer)) }) {
      end(.clientClosed)
    }
  }

  private func finish(_ id: UInt64) {
    loads.withLock { $0.finish(id) }?.timer?.cancel()
  }
}

// MARK: - Closing

extension Client {
  /// Ends it: loads under way fail at once with a ``LoadError`` of kind ``LoadError/Kind/closed``, later
  /// ones as soon as they begin, and its connections are closed. Closing again does nothing.
  ///
  /// A transport that the client was given stays in use.
  public func close() {
    for load in loads.withLock({ $0.close() }) { load.end(.clientClosed) }
    chain.background?.close()
    ownTransport?.close()
  }
}

#if Curl && canImport(CResourceCurl)
  /// What a client loads with that is given no transport.
  private typealias OwnTransport = CurlTransport
#else
  /// What a client loads with that is given no transport.
  private typealias OwnTransport = URLSessionTransport
#endif

extension LoadError {
  fileprivate static let clientClosed = LoadError(
    .closed, "the client was closed", advice: "Load with a client that is in use")
}
