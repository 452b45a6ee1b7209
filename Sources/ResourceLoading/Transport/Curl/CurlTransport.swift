#if Curl && canImport(CResourceCurl)
  import Dispatch
  import Foundation

  /// Sends requests with libcurl, on a thread of its own.
  ///
  /// It is the default transport of a ``Client`` on Linux, where it is faster than ``URLSessionTransport`` by an order of
  /// magnitude, and no response crashes the process.
  ///
  /// ```swift
  /// var configuration = CurlTransport.Configuration()
  /// configuration.proxy = .init(url: URL(string: "http://proxy.example.org:3128")!)
  /// let client = Client { $0.transport = CurlTransport(configuration) }
  /// ```
  ///
  /// All requests of one transport share its connections, which are closed when its last copy is released. Nothing is taken
  /// from the environment: no proxy, no `.netrc`, no cookies, and no `SSLKEYLOGFILE`, which is removed from it when the first
  /// transport is used.
  ///
  /// Requests ask for `gzip` and `deflate`, unless they have an `Accept-Encoding` of their own or ask for a range. In any
  /// case `gzip`, `x-gzip` and `deflate` are decoded, up to five of them, and checked to the last byte; `identity` and `none`
  /// aren't codings. The head doesn't name decoded codings and the length of the coded body. Any other coding, such as `br`
  /// and `zstd`, stays, and the head names it, if the request asks for it; otherwise it is an error. A decoded body that is
  /// more than 500 times as large as the coded one, and larger than 4 MiB, is an error too.
  public struct CurlTransport: Transport {
    private let thread: CurlThread

    /// Creates a transport. Its thread starts with the first request.
    ///
    /// - Parameter configuration: Limits, proxy, TLS and other settings.
    public init(_ configuration: Configuration = Configuration()) {
      thread = CurlThread(configuration)
    }

    /// Hands a request to the transport's thread.
    ///
    /// The receiver is called on that thread as a rule, so it has to return soon.
    public func start(
      _ request: WireRequest, receiver: any ExchangeReceiver
    ) -> any Exchange {
      let exchange = CurlExchange(request, receiver, thread.inbox)
      thread.submit(exchange)
      return exchange
    }

    /// Closes the transport: running and later requests fail with a ``LoadError`` of kind ``LoadError/Kind/closed``, and the
    /// connections are closed. It returns at once.
    public func close() { thread.inbox.close() }
  }

  /// The thread of a transport, until its last copy is released.
  final class CurlThread: Sendable {
    let inbox: CurlInbox
    private let configuration: CurlTransport.Configuration

    init(_ configuration: CurlTransport.Configuration) {
      self.configuration = configuration
      inbox = CurlInbox()
    }

    deinit {
      inbox.close()
    }

    func submit(_ exchange: CurlExchange) {
      switch inbox.submit(.start(exchange)) {
      case .taken: break
      case .first: start()
      case .closed:
        // Not on the caller's thread, which may hold a lock that the receiver needs.
        DispatchQueue.global().async { exchange.receiver.finished(.transportClosed) }
      }
    }

    private func start() {
      let thread = Thread { [inbox, configuration] in
        CurlEngine.run(configuration, inbox)
      }
      thread.name = "ResourceLoading.curl"
      thread.start()
    }
  }

  extension LoadError {
    static let transportClosed = LoadError(
      .closed, "the transport was closed", advice: "Load with one that is in use")
  }

  extension CurlTransport {
    /// The settings of a transport's connections.
    public struct Configuration: Sendable {
      /// The maximum number of connections, including idle ones; further requests wait.
      public var maximumConnections = 256

      /// The maximum number of connections to one host; further requests wait. One connection carries one request at a time with
      /// HTTP/1.1, and many with HTTP/2.
      public var maximumConnectionsPerHost = 64

      /// The time limit for connecting, including the wait for a free connection, name resolution and TLS; `nil` for no limit but
      /// the load's own.
      public var connectTimeout: Duration?

      /// The proxy for all requests; `nil` for none, whatever the environment says.
      public var proxy: ProxyServer?

      /// The versions of HTTP that may be used.
      public var httpVersion = HTTPVersion.automatic

      /// The path of a Unix domain socket to connect to instead of every host and port; `nil` for TCP.
      public var unixSocketPath: String?

      /// The addresses that connections are allowed to.
      public var addresses = AddressPolicy.any

      /// The trusted authorities, and the client's certificate.
      public var tls = TLSOptions()

      /// Creates the default configuration: at most 64 connections to a host and 256 in all, no proxy, the system's authorities.
      public init() {}
    }

    /// The versions of HTTP that may be used.
    @nonexhaustive
    public enum HTTPVersion: Sendable, Hashable {
      /// HTTP/2 where TLS negotiates it, HTTP/1.1 elsewhere.
      case automatic
      /// HTTP/1.1 only.
      case http1
    }
  }
#endif
