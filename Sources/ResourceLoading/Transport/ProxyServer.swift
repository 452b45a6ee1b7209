import Dispatch
public import Foundation

/// A proxy, and what isn't asked for through it.
///
/// ```swift
/// let client = Client(baseURL: url) {
///   $0.proxy = ProxyServer(url: proxy, exceptions: ["localhost"])
/// }
/// ```
public struct ProxyServer: Sendable, Hashable {
  /// Where it is: a URL with the scheme `http`, `https`, `socks4`, `socks5` or `socks5h`, with user info
  /// if it wants some. Servers aren't told that, and a request's own `Proxy-Authorization` isn't sent at all.
  /// Without a port it is 1080, or 443 for `https`.
  ///
  /// `URLSession` on Apple platforms knows no `socks4`, has the proxy look up names for `socks5` as well, and tunnels
  /// `http` requests, too, by `CONNECT`.
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

extension ProxyServer {
  /// The scheme in lower case.
  var scheme: String { url.scheme?.lowercased() ?? "" }

  /// The port, also where the URL names none.
  var port: Int { url.port ?? (scheme == "https" ? 443 : 1080) }

  /// Checks what would be wrong with any engine.
  func check() throws(LoadError) {
    let schemes: Set = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]
    guard schemes.contains(scheme), let host = url.host(percentEncoded: false), !host.isEmpty else {
      throw LoadError(
        .invalidRequest, "the proxy's URL has no host, or a scheme that isn't a proxy's: \(self)",
        advice: "Name it as http://proxy.example.org:3128")
    }
  }
}

extension ProxyServer: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Where it is, without user info.
  public var description: String { "ProxyServer(\(url.absoluteString.redactedURL))".printable }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// Shows where it is, without user info.
  public var customMirror: Mirror {
    Mirror(self, children: ["url": url.absoluteString.redactedURL, "exceptions": exceptions])
  }
}

/// Sends nothing: what a client loads with whose configuration can't be done.
struct FailingTransport: Transport {
  let failure: LoadError

  /// Tells the failure, soon and on another thread.
  func start(_ request: WireRequest, receiver: any ExchangeReceiver) -> any Exchange {
    DispatchQueue.global().async { receiver.finished(failure) }
    return Nothing()
  }

  private final class Nothing: Exchange {
    func cancel() {}
  }
}
