public import Foundation
import ResourcePrimitives

/// A proxy, and the hosts that are contacted without it.
///
/// ```swift
/// let client = Client(baseURL: url) {
///   $0.proxy = ProxyServer(url: proxy, exceptions: ["localhost"])
/// }
/// ```
public struct ProxyServer: Sendable, Hashable {
  /// The URL of the proxy, with the scheme `http`, `https`, `socks4`, `socks5` or `socks5h`, and
  /// with user info if the proxy demands credentials. Servers never receive these, and a request's
  /// own `Proxy-Authorization` isn't sent at all. The default port is 1080, or 443 for `https`.
  ///
  /// `URLSession` on Apple platforms doesn't support `socks4`, lets the proxy resolve names for
  /// `socks5` as well, and tunnels `http` requests by `CONNECT` too.
  public var url: URL

  /// The hosts that are contacted directly: addresses, and names, which include the names below
  /// them.
  public var exceptions: [String]

  /// Creates the settings of a proxy.
  ///
  /// - Parameters:
  ///   - url: The URL of the proxy.
  ///   - exceptions: The hosts that are contacted directly.
  public init(url: URL, exceptions: [String] = []) {
    self.url = url
    self.exceptions = exceptions
  }
}

extension ProxyServer {
  /// The scheme in lower case.
  var scheme: String { url.scheme?.lowercased() ?? "" }

  /// The port of the URL, or the default one.
  var port: Int { url.port ?? (scheme == "https" ? 443 : 1080) }

  /// Checks settings that no engine could use.
  func check() throws(LoadError) {
    let schemes: Set = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]
    guard schemes.contains(scheme), let host = url.host(percentEncoded: false), !host.isEmpty else {
      throw LoadError(
        .invalidRequest, "the proxy's URL has no host, or a scheme that isn't a proxy's: \(self)",
        advice: "Name it as http://proxy.example.org:3128")
    }
    // libcurl would connect without the proxy.
    for (part, text) in [
      ("user", url.user(percentEncoded: true)), ("password", url.password(percentEncoded: true)),
    ] where text?.hasEscapedControl == true {
      throw LoadError(
        .invalidRequest, "the \(part) in the proxy's URL holds a control character: \(self)",
        advice: "Remove the line end if it was read from a file")
    }
  }
}

extension String {
  /// Whether the escape of a control character is in this part of a URL.
  fileprivate var hasEscapedControl: Bool {
    utf8.split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false).dropFirst()
      .contains { behind in
        UInt8(Substring(behind.prefix(2)), radix: 16).map { $0 < 0x20 || $0 == 0x7F } ?? false
      }
  }
}

extension ProxyServer: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The URL, without user info.
  public var description: String { "ProxyServer(\(url.absoluteString.redactedURL))".printable }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// Shows the URL without user info.
  public var customMirror: Mirror {
    Mirror(self, children: ["url": url.absoluteString.redactedURL, "exceptions": exceptions])
  }
}
