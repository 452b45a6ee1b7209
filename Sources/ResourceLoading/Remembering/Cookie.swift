public import Foundation

/// A cookie as a jar keeps it (RFC 6265 section 5.3).
public struct Cookie: Sendable, Hashable {
  /// The name; may be empty.
  public var name: String
  /// The value, quotes included if there are any.
  public var value: String
  /// The host it is for, in lower case.
  public var domain: String
  /// Whether hosts below `domain` get it as well.
  public var includesSubdomains: Bool
  /// The path it is for; begins with a slash.
  public var path: String
  /// When it ceases to be sent; `nil` if it lasts as long as the jar.
  public var expiration: Date?
  /// Whether it is sent over https only.
  public var isSecure: Bool

  /// Makes a cookie, for a jar that is to have it from the start.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - value: The value.
  ///   - domain: The host it is for.
  ///   - includesSubdomains: Whether hosts below `domain` get it as well.
  ///   - path: The path it is for.
  ///   - expiration: When it ceases to be sent.
  ///   - isSecure: Whether it is sent over https only.
  public init(
    name: String, value: String, domain: String, includesSubdomains: Bool = false,
    path: String = "/", expiration: Date? = nil, isSecure: Bool = false
  ) {
    self.name = name
    self.value = value
    self.domain = domain.lowercased()
    self.includesSubdomains = includesSubdomains
    self.path = path
    self.expiration = expiration
    self.isSecure = isSecure
  }
}

extension Cookie {
  /// Whether it goes with a request of a URL (RFC 6265 section 5.4).
  func isFor(_ url: URL, at date: Date) -> Bool {
    guard let host = url.host()?.lowercased() else { return false }
    let isAtHome = host == domain || includesSubdomains && host.isBelow(domain)
    let isInTime = expiration.map { date < $0 } ?? true
    return isAtHome && isInTime && path.contains(path: url.cookiePath)
      && (!isSecure || url.scheme?.lowercased() == "https")
  }
}

extension URL {
  /// The path by which cookies are chosen; never empty.
  var cookiePath: String {
    let path = path(percentEncoded: true)
    return path.hasPrefix("/") ? path : "/"
  }

  /// The path of cookies that name none (RFC 6265 section 5.1.4).
  var defaultCookiePath: String {
    guard let slash = cookiePath.lastIndex(of: "/"), slash != cookiePath.startIndex else {
      return "/"
    }
    return String(cookiePath[..<slash])
  }
}

extension String {
  /// Whether this host is below a domain (RFC 6265 section 5.1.3); an address is below nothing.
  func isBelow(_ domain: String) -> Bool {
    hasSuffix("." + domain) && !isAddress
  }

  /// Whether this host is an IP address.
  var isAddress: Bool {
    contains(":") || split(separator: ".").last.map { $0.allSatisfy(\.isNumber) } ?? false
  }

  /// Whether a path is this one or below it (RFC 6265 section 5.1.4).
  func contains(path: String) -> Bool {
    path == self || path.hasPrefix(hasSuffix("/") ? self : self + "/")
  }
}
