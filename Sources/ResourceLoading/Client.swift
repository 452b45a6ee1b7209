public import Foundation
public import PromiseModule
import ResourcePrimitives
import Synchronization

#if URLSession && canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Loads resources of one service: with its base URL, its defaults, and the middleware that its
/// requests need.
///
/// ```swift
/// let github = Client(baseURL: "https://api.github.com") {
///   $0.headers[.userAgent] = "octo/1.0"
///   $0.middleware = [RetryMiddleware(), BearerAuthentication(token: token)]
/// }
/// let user = try await github.load(.user("octocat"))
/// ```
///
/// A client has connections of its own and shares nothing with other clients, unless it is given a
/// `URLSession`. Create one and keep it. Its connections are closed when it is released.
///
/// All members may be used from any thread.
public final class Client: Loader {
  /// The configuration that the client was created with.
  public let configuration: Configuration
  let pipeline: Pipeline
  /// The connections that belong to this client alone; `nil` if it was given a transport.
  private let ownTransport: DefaultTransport?
  private let loads = Mutex(InFlight<UInt64, LoadContext>())
  private let drained = Drain()
  private let loadCount = Atomic<UInt64>(0)

  /// Creates a client. If this platform doesn't support the configuration, all loads fail: see
  /// ``Configuration/check()``.
  ///
  /// - Parameter configuration: The settings.
  public init(_ configuration: Configuration) {
    self.configuration = configuration
    do throws(LoadError) {
      ownTransport = try configuration.ownTransport
      let transport = configuration.transport ?? ownTransport
      pipeline = Pipeline(configuration, over: transport ?? DefaultTransport())
    } catch {
      ownTransport = nil
      pipeline = Pipeline(configuration, over: FailingTransport(failure: error))
    }
  }

  /// Creates a client for a service.
  ///
  /// - Parameters:
  ///   - baseURL: The URL to which paths are appended; `nil` if all requests have absolute URLs.
  ///   - configure: Changes the other settings.
  public convenience init(
    baseURL: URL? = nil, _ configure: (inout Configuration) -> Void = { _ in }
  ) {
    var configuration = Configuration(baseURL: baseURL)
    configure(&configuration)
    self.init(configuration)
  }

  /// Creates a client for a service whose base URL is a literal.
  ///
  /// ```swift
  /// let github = Client(baseURL: "https://api.github.com")
  /// ```
  ///
  /// - Parameters:
  ///   - baseURL: The URL to which paths are appended. It is a programmer's error if it isn't a URL;
  ///     loads fail if it isn't an absolute one.
  ///   - configure: Changes the other settings.
  public convenience init(
    baseURL: StaticString, _ configure: (inout Configuration) -> Void = { _ in }
  ) {
    var configuration = Configuration(baseURL: baseURL)
    configure(&configuration)
    self.init(configuration)
  }

  deinit {
    pipeline.background?.close()
    ownTransport?.close()
  }
}

extension Client {
  /// The executor of callbacks that name none: ``Configuration/callbackExecutor``.
  public var callbackExecutor: any PromiseExecutor { configuration.callbackExecutor }
}

extension Client {
  /// Loads a resource: completes its request, sends it through the middleware, checks the status,
  /// parses the body.
  ///
  /// - Parameter resource: The resource. Its request may have an absolute URL or a path below the
  ///   base URL.
  /// - Returns: The value that the resource's parser made of the response.
  /// - Throws: A ``LoadError`` that says what went wrong, of kind ``LoadError/Kind/closed`` if the
  ///   client was or is closed, or `CancellationError` as soon as the calling task is cancelled.
  @concurrent
  public func load<R>(_ resource: Resource<R>) async throws -> R {
    try await load(resource, into: nil)
  }

  /// Loads a resource whose body goes to another destination than its request says.
  func load<R>(
    _ resource: Resource<R>, into destination: (any BodyDestination)?
  ) async throws -> R {
    try Task.checkCancellation()
    let resource = try pipeline.completed(resource)
    let context = LoadContext(resource, identity(), in: pipeline, destination: destination)
    try begin(context, resource.request)
    defer { end(context) }
    return try await pipeline.load(resource, in: context)
  }

  /// Returns the identity of a new load.
  func identity() -> LoadIdentity {
    LoadIdentity(
      id: loadCount.add(1, ordering: .relaxed).newValue, clock: pipeline.clock,
      observer: configuration.observer)
  }

  /// Registers a load until ``end(_:)``, so that it ends with the client.
  func begin(_ context: LoadContext, _ request: Request) throws {
    guard loads.withLock({ $0.begin(context, for: context.identity.id) }) != nil else {
      throw ErrorContext(request).explain(LoadError.clientClosed)
    }
  }

  func end(_ context: LoadContext) {
    let isLast = loads.withLock { loads in
      loads.end(context, for: context.identity.id)
      return loads.isClosed && loads.isEmpty
    }
    if isLast { drained.end() }
  }

  /// Waits between two loads of one sequence, as a load would: until the client is closed or
  /// cancels all loads.
  func pause(for duration: Duration, before request: Request) async throws {
    let identity = LoadIdentity(
      id: loadCount.add(1, ordering: .relaxed).newValue, clock: pipeline.clock)
    let context = LoadContext(request, identity, timeout: nil)
    try begin(context, request)
    defer { end(context) }
    do {
      try await context.run { try await context.sleep(for: duration) }
    } catch {
      throw context.explain(error)
    }
  }
}

extension Client {
  /// Cancels all loads under way, and leaves the client in use: for signing out, or for leaving a
  /// screen with a client of its own.
  ///
  /// They fail with `CancellationError` as if each had been cancelled by its caller: those that
  /// wait for their turn, for a retry or for another load, streams, open sockets, downloads and
  /// uploads, and what a cache revalidates in the background. What is received of a resumable
  /// download stays. A load that begins after this call isn't affected: to end a loop that loads
  /// again and again, such as over ``Pages``, cancel its task.
  public func cancelAll() {
    endLoads(for: CancellationError())
    pipeline.background?.cancelAll()
  }

  /// Waits for the running loads to end, and closes the client, for a service that shuts down.
  ///
  /// Loads that begin after this call fail with a ``LoadError`` of kind ``LoadError/Kind/closed``.
  /// Running ones continue, with their retries, and so do streams, open sockets and background
  /// revalidations. Whatever is still running at the limit fails as after ``close()``.
  ///
  /// ```swift
  /// let unfinished = await client.drain(within: .seconds(20))
  /// ```
  ///
  /// - Parameter limit: The longest wait, by the client's clock. Cancelling the calling task closes
  ///   the client at once.
  /// - Returns: The number of loads that were cut off.
  @discardableResult
  public func drain(within limit: Duration) async -> Int {
    loads.withLock { $0.refuse() }
    let end = pipeline.clock.now() + limit.countable
    await withTaskGroup { group in
      group.addTask { [self] in
        await drained.wait { loads.withLock(\.isEmpty) }
        await pipeline.background?.drain()
      }
      group.addTask { [self] in try? await pipeline.clock.sleepUntil(end) }
      await group.next()
      group.cancelAll()
    }
    let unfinished = loads.withLock(\.all.count)
    close()
    return unfinished
  }

  /// Closes the client: loads under way fail at once with a ``LoadError`` of kind
  /// ``LoadError/Kind/closed``, later ones as soon as they begin, and its connections are closed.
  /// Closing again does nothing.
  ///
  /// A transport that the client was given isn't closed.
  public func close() {
    loads.withLock { $0.refuse() }
    endLoads(for: LoadError.clientClosed)
    pipeline.background?.close()
    ownTransport?.close()
  }

  private func endLoads(for reason: any Error) {
    for load in loads.withLock(\.all) {
      load.end(for: reason)
      load.destination?.end(for: reason)
    }
  }
}

extension Client.Configuration {
  /// Checks that this platform supports the settings of ``tls`` and ``proxy``.
  ///
  /// A client whose configuration fails this check fails every load with the same error, and sends
  /// nothing.
  ///
  /// ```swift
  /// var configuration = Client.Configuration(baseURL: url)
  /// configuration.tls.minimumVersion = .tls13
  /// try configuration.check()
  /// let client = Client(configuration)
  /// ```
  ///
  /// - Throws: A ``LoadError`` of kind ``LoadError/Kind/invalidRequest`` for settings that the
  ///   engine doesn't support, for an invalid pin or proxy, and if there is a ``transport`` as
  ///   well, which has its own settings; of kind ``LoadError/Kind/secureConnection`` for
  ///   certificates that can't be read.
  public func check() throws { _ = try ownTransport }

  fileprivate var ownTransport: DefaultTransport? {
    get throws(LoadError) {
      if transport == nil { return try DefaultTransport(tls, proxy) }
      guard tls == TLSOptions(), proxy == nil else {
        throw LoadError(
          .invalidRequest, "the client has a transport, which TLS options and a proxy can't change",
          advice: "Set them in the transport's own configuration")
      }
      return nil
    }
  }
}

#if Curl && canImport(CResourceCurl)
  extension CurlTransport {
    fileprivate init(_ tls: TLSOptions, _ proxy: ProxyServer?) throws(LoadError) {
      try tls.check()
      try proxy?.check()
      var configuration = Configuration()
      (configuration.tls, configuration.proxy) = (tls, proxy)
      self.init(configuration)
    }
  }

  package typealias DefaultTransport = CurlTransport
#elseif URLSession || !os(Linux)
  package typealias DefaultTransport = URLSessionTransport

  extension URLSessionTransport {
    fileprivate init(_ tls: TLSOptions, _ proxy: ProxyServer?) throws(LoadError) {
      self.init(.ephemeral, try SessionSecurity(tls, proxy))
    }
  }
#else
  #error(
    "swift-resource-loading has nothing to load with: enable the trait Curl (libcurl, the default) or URLSession, such as with `--traits Curl`, or `traits: [\"Curl\"]` in the manifest that depends on it"
  )
#endif

extension LoadError {
  fileprivate static let clientClosed = LoadError(
    .closed, "the client was closed", advice: "Load with a client that is in use")
}
