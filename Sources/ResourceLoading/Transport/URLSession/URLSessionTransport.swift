#if URLSession || !os(Linux)
  public import Foundation

  #if canImport(FoundationNetworking)
    public import FoundationNetworking
  #endif

  /// Sends requests with data tasks of a `URLSession`.
  ///
  /// A session has no time limit for connecting: the idle time and the limits of the attempt and the
  /// load count from when the request is handed to the transport.
  public struct URLSessionTransport: Transport, CustomReflectable {
    private let session: URLSession
    /// `nil` if the session is borrowed: its owner created it, and may use it for other things.
    private let owned: OwnedSession?
    /// What the settings of an own session add to each request.
    private let identity: String?

    /// Creates a transport with a session of its own, which is closed when the last copy of the
    /// transport is released.
    ///
    /// - Parameter configuration: The configuration of the session. Caching, cookies and time limits
    ///   are taken out of it, because they are implemented above the transport. With one for a
    ///   background session, on Apple platforms, every load fails with a ``LoadError`` of kind
    ///   ``LoadError/Kind/invalidRequest``.
    public init(configuration: URLSessionConfiguration = .ephemeral) {
      self.init(configuration, nil)
    }

    /// Creates a transport with a session of its own, with options of TLS and a proxy.
    ///
    /// A ``Client`` creates one of its ``Client/Configuration/tls`` and
    /// ``Client/Configuration/proxy``.
    ///
    /// - Parameters:
    ///   - configuration: The configuration of the session.
    ///   - tls: The certificates that are trusted, and the one that is presented.
    ///   - proxy: The proxy for all requests; `nil` for the system's.
    /// - Throws: A ``LoadError`` of kind ``LoadError/Kind/invalidRequest`` for what `URLSession`
    ///   can't do on this platform, and of kind ``LoadError/Kind/secureConnection`` for certificates
    ///   that can't be read.
    public init(
      configuration: URLSessionConfiguration = .ephemeral, tls: TLSOptions,
      proxy: ProxyServer? = nil
    ) throws {
      self.init(configuration, try SessionSecurity(tls, proxy))
    }

    init(_ configuration: URLSessionConfiguration, _ security: SessionSecurity?) {
      let owned = OwnedSession(configuration, security)
      (self.owned, session) = (owned, owned.session)
      identity = configuration.identity(security?.identity)
    }

    /// Creates a transport that borrows a session: its configuration and its delegate count, and it
    /// is never invalidated here.
    ///
    /// - Parameter session: The session.
    public init(session: URLSession) { (self.session, owned, identity) = (session, nil, nil) }

    /// Starts a data task for the request; on Apple platforms, for one that switches protocols, a
    /// connection of the framework Network.
    public func start(
      _ request: WireRequest, receiver: any ExchangeReceiver
    ) -> any Exchange {
      #if !canImport(FoundationNetworking)
        if request.switchesProtocols, let owned {
          let exchange = UpgradeExchange(request, receiver)
          exchange.start(in: owned)
          return exchange
        }
      #endif
      let exchange = URLSessionExchange(session: session, router: owned?.router, receiver: receiver)
      TaskBody.prepare(request.body) { exchange.start(request, $0) }
      return exchange
    }

    /// `false` for a borrowed session, which reports nothing before the end of a load.
    public var deliversIncrementally: Bool { owned != nil }

    /// Shows nothing: the settings of the session hold secrets.
    public var customMirror: Mirror { Mirror(self, children: [:]) }

    /// Returns a text about the client certificate, the credentials of the proxy, the session's
    /// additional headers, and the cookies of a borrowed session. What its delegate presents isn't
    /// known.
    public func identity(for url: URL) -> String? {
      guard owned == nil else { return identity }
      let configuration = session.configuration
      let cookies = configuration.httpCookieStorage?.cookies(for: url) ?? []
      let lines = cookies.map { "cookie \($0.name)=\($0.value)" }.sorted()
      return configuration.identity(lines.isEmpty ? nil : lines.joined(separator: "\n"))
    }

    /// Whether the delegate of a borrowed session may decline to follow a redirect.
    public var mayDeclineRedirects: Bool {
      owned == nil && session.delegate is any URLSessionTaskDelegate
    }

    /// `true` on Apple platforms for a session of its own, whose options of TLS, proxy and additional
    /// headers count. Otherwise `false`.
    public var canSwitchProtocols: Bool {
      #if canImport(FoundationNetworking)
        false
      #else
        owned != nil
      #endif
    }

    /// Cancels the exchanges in flight and closes the connections, if the session is its own.
    func close() { owned?.close() }
  }

  /// A session that belongs to one transport, and is closed with it.
  final class OwnedSession: Sendable {
    let session: URLSession
    let router: SessionRouter
    let security: SessionSecurity?

    init(_ configuration: URLSessionConfiguration, _ security: SessionSecurity?) {
      self.security = security
      router = SessionRouter(security)
      let queue = OperationQueue()
      // One event after another, as a queue of width 1 would have it, which on Linux changes threads
      // with each. The queue is the router's, which lives as long as the session.
      unsafe queue.underlyingQueue = router.queue
      let configuration = configuration.stripped
      security?.apply(to: configuration)
      session = URLSession(configuration: configuration, delegate: router, delegateQueue: queue)
    }

    deinit {
      close()
    }

    /// Fails the exchanges in flight, and later ones at once.
    func close() {
      // On the queue, so that no task is created between the two steps: on Linux creating one in an
      // invalidated session crashes the process.
      SessionTaskQueue.run { [session, router] in
        guard !router.isClosed else { return }
        for exchange in router.close() { exchange.close() }
        session.finishTasksAndInvalidate()
      }
    }
  }

  extension URLSessionConfiguration {
    /// Returns a text about the additional headers, after another one.
    fileprivate func identity(_ other: String?) -> String? {
      let fields = (httpAdditionalHeaders ?? [:]).map { ("\($0.key)", "\($0.value)") }
        .filter { !Headers.Name(rawValue: $0.0).isHarmless() }
        .map { "header \($0.0.lowercased()): \($0.1)" }
      let lines = [other].compactMap(\.self) + fields.sorted()
      return lines.isEmpty ? nil : lines.joined(separator: "\n")
    }

    /// A copy without caching, cookies, stored credentials and time limits, which are implemented
    /// above the transport, and would cost a quarter of a load's time on Linux.
    fileprivate var stripped: URLSessionConfiguration {
      let stripped = copy() as? URLSessionConfiguration ?? .ephemeral
      stripped.urlCache = nil
      stripped.requestCachePolicy = .reloadIgnoringLocalCacheData
      stripped.httpCookieStorage = nil
      stripped.httpCookieAcceptPolicy = .never
      stripped.httpShouldSetCookies = false
      stripped.urlCredentialStorage = nil
      stripped.timeoutIntervalForRequest = URLRequest.noTimeout
      stripped.timeoutIntervalForResource = URLRequest.noTimeout
      return stripped
    }
  }
#endif
