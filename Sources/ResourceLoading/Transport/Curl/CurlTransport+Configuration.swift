#if Curl && canImport(CResourceCurl)
  public import Foundation

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
      public var proxy: Proxy?

      /// Which versions of HTTP may be spoken.
      public var httpVersion = HTTPVersion.automatic

      /// The path of a Unix domain socket that takes the place of every host and port; `nil` for TCP.
      public var unixSocketPath: String?

      /// Which addresses may be connected to.
      public var addresses = AddressPolicy.any

      /// Whom to trust, and what to show.
      public var tls = TLS()

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

    /// A proxy, and what isn't asked for through it.
    public struct Proxy: Sendable, Hashable {
      /// Where it is: a URL with the scheme `http`, `https`, `socks4`, `socks5` or `socks5h`, with user info
      /// if it wants some. Servers aren't told that, and a request's own `Proxy-Authorization` isn't sent at all.
      public var url: URL

      /// Hosts that are reached directly: names, which stand for the names below them too, and addresses.
      public var exceptions: [String]

      /// Names a proxy.
      ///
      /// - Parameters:
      ///   - url: Where it is.
      ///   - exceptions: Hosts that are reached directly.
      public init(url: URL, exceptions: [String] = []) {
        self.url = url
        self.exceptions = exceptions
      }
    }
  }
#endif
