#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// Sends requests with data tasks of a `URLSession`.
///
/// A session has no time limit of its own for connecting: the idle time and the limits of the attempt and the
/// load count from when the request is handed over.
public struct URLSessionTransport: Transport {
  private let session: URLSession
  /// `nil` if the session belongs to somebody else.
  private let owned: OwnedSession?

  /// Sends with a session of its own, which is closed when the last copy of the transport goes.
  ///
  /// - Parameter configuration: What to make it of, as for `URLSession`. Caching, cookies and time limits are
  ///   taken out of it: they are kept above the transport. With one for a background session, on Apple platforms,
  ///   every load fails with a ``LoadError`` of kind ``LoadError/Kind/invalidRequest``.
  public init(configuration: URLSessionConfiguration = .ephemeral) {
    self.init(configuration, nil)
  }

  /// Sends with a session of its own, which trusts and asks whom it is told to.
  ///
  /// A ``Client`` makes one of ``Client/Configuration/tls`` and ``Client/Configuration/proxy`` by itself.
  ///
  /// - Parameters:
  ///   - configuration: What to make the session of, as for `URLSession`.
  ///   - tls: Whom to trust, and what to show.
  ///   - proxy: The proxy for all requests; `nil` for the system's.
  /// - Throws: A ``LoadError`` of kind ``LoadError/Kind/invalidRequest`` for what `URLSession` can't do on this
  ///   platform, and of kind ``LoadError/Kind/secureConnection`` for certificates that can't be read.
  public init(
    configuration: URLSessionConfiguration = .ephemeral, tls: TLSOptions, proxy: ProxyServer? = nil
  ) throws {
    self.init(configuration, try SessionSecurity(tls, proxy))
  }

  init(_ configuration: URLSessionConfiguration, _ security: SessionSecurity?) {
    let owned = OwnedSession(configuration, security)
    (self.owned, session) = (owned, owned.session)
  }

  /// Sends with a session that belongs to somebody else: its configuration and its delegate count, and it
  /// is never invalidated here.
  ///
  /// - Parameter session: The session.
  public init(session: URLSession) { (self.session, owned) = (session, nil) }

  /// Starts a data task for the request.
  public func start(
    _ request: WireRequest, receiver: any ExchangeReceiver
  ) -> any Exchange {
    let exchange = URLSessionExchange(session: session, router: owned?.router, receiver: receiver)
    TaskBody.prepare(request.body) { exchange.start(request, $0) }
    return exchange
  }

  /// A session that belongs to somebody else tells a load nothing before its end.
  public var deliversIncrementally: Bool { owned != nil }

  /// Whether somebody else may decline to follow a redirect.
  var mayDeclineRedirects: Bool {
    owned == nil && session.delegate is any URLSessionTaskDelegate
  }

  /// Cancels what is in flight and closes the connections, if the session is its own.
  func close() { owned?.close() }
}
