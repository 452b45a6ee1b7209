#if Curl && canImport(CResourceCurl)
  import Dispatch
  import Foundation

  /// Sends requests with libcurl, on a thread of its own.
  ///
  /// What a ``Client`` sends with on Linux unless it is given another transport: faster there than
  /// ``URLSessionTransport`` by an order of magnitude, and safe from whatever a server sends.
  ///
  /// ```swift
  /// var configuration = CurlTransport.Configuration()
  /// configuration.proxy = .init(url: URL(string: "http://proxy.example.org:3128")!)
  /// let client = Client { $0.transport = CurlTransport(configuration) }
  /// ```
  ///
  /// Connections are kept and shared by all requests of one transport; when its last copy goes, they are
  /// closed. Nothing is taken from the environment: no proxy, no `.netrc`, no cookies, and no
  /// `SSLKEYLOGFILE`, which is taken out of it when the first transport is used.
  ///
  /// Requests ask for `gzip` and `deflate` unless they have an `Accept-Encoding` of their own, which goes out
  /// as it is, or ask for a range. Whatever they ask for, `gzip`, `x-gzip` and `deflate` are decoded, up to
  /// five in a row, and checked to the last byte; `identity` and `none` are no codings. The head doesn't name
  /// what was decoded, nor the length it had. Any other coding, such as `br` and `zstd`, arrives as it was sent,
  /// and the head goes on naming it, if the request asks for it; else it is an error. A body that is more than
  /// 500 times as large as what was sent for it, and larger than 4 MiB, is an error, too.
  public struct CurlTransport: Transport {
    private let thread: CurlThread

    /// Makes a transport. Its thread starts with the first request.
    ///
    /// - Parameter configuration: Limits, proxy, TLS and the like.
    public init(_ configuration: Configuration = Configuration()) {
      thread = CurlThread(configuration)
    }

    /// Hands a request to the transport's thread.
    ///
    /// The receiver is told one thing after the other, as a rule on that thread: it has to return soon.
    public func start(
      _ request: WireRequest, receiver: any ExchangeReceiver
    ) -> any Exchange {
      let exchange = CurlExchange(request, receiver, thread.inbox)
      thread.submit(exchange)
      return exchange
    }

    /// Ends it: what is under way, and what is started later, fails with a ``LoadError`` of kind
    /// ``LoadError/Kind/closed``, and the connections are closed. Returns at once.
    public func close() { thread.inbox.close() }
  }

  /// The thread of a transport, as long as somebody needs it.
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
        // Not on the caller's thread: it may hold a lock that the receiver needs.
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
    /// What a transport does with its connections.
    public struct Configuration: Sendable {
      /// How many connections there may be at once; requests beyond that wait. Idle ones are kept within
      /// this number, too.
      public var maximumConnections = 256

      /// How many connections there may be at once to one host; requests beyond that wait. One connection
      /// carries one request at a time with HTTP/1.1, many with HTTP/2.
      public var maximumConnectionsPerHost = 64

      /// How long it may take to connect, name lookup and TLS included, and the wait for a free connection;
      /// `nil` for no limit but the load's own.
      public var connectTimeout: Duration?

      /// The proxy for all requests; `nil`, whatever the environment says, for none.
      public var proxy: ProxyServer?

      /// Which versions of HTTP may be spoken.
      public var httpVersion = HTTPVersion.automatic

      /// The path of a Unix domain socket that takes the place of every host and port; `nil` for TCP.
      public var unixSocketPath: String?

      /// Which addresses may be connected to.
      public var addresses = AddressPolicy.any

      /// Whom to trust, and what to show.
      public var tls = TLSOptions()

      /// The usual: at most 64 connections to a host and 256 in all, no proxy, the system's trust.
      public init() {}
    }

    /// Which versions of HTTP may be spoken.
    @nonexhaustive
    public enum HTTPVersion: Sendable, Hashable {
      /// HTTP/2 where TLS agrees on it, HTTP/1.1 elsewhere.
      case automatic
      /// HTTP/1.1 only.
      case http1
    }
  }
#endif
