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
  /// Where a request goes, as far as cookies are chosen by it.
  struct Target {
    let host: String
    let path: String
    let isSecure: Bool

    /// - Returns: `nil` for a URL without a host.
    init?(_ url: URL) {
      guard let host = url.cookieHost else { return nil }
      self.host = host
      path = url.cookiePath
      isSecure = url.scheme?.lowercased() == "https"
    }
  }

  /// Whether it goes with a request (RFC 6265 section 5.4).
  func isFor(_ target: Target, at date: Date) -> Bool {
    let isAtHome = target.host == domain || includesSubdomains && target.host.isBelow(domain)
    return isAtHome && isAlive(at: date) && path.contains(path: target.path)
      && (!isSecure || target.isSecure)
  }

  /// Whether it hasn't expired.
  func isAlive(at date: Date) -> Bool { expiration.map { date < $0 } ?? true }
}

extension Cookie: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Whose cookie it is, without its value.
  public var description: String {
    "Cookie(\(name)=\(Secrets.replacement); Domain=\(domain); Path=\(path))".printable
  }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// Shows nothing of the value to `dump` and debuggers.
  public var customMirror: Mirror {
    Mirror(self, children: ["name": name, "domain": domain, "path": path])
  }
}

extension URL {
  /// The host by which cookies are chosen: in lower case, without a dot at its end, which names the same host.
  var cookieHost: String? {
    host().map { $0.lowercased().withoutTrailingDot }.flatMap { $0.isEmpty ? nil : $0 }
  }

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

  /// Whether this domain belongs to nobody in particular. One with letters beyond ASCII that aren't in the form of
  /// RFC 3492 can't be looked up and counts as such.
  var isShared: Bool {
    utf8.contains { $0 >= 0x80 || $0 == UInt8(ascii: "%") } || PublicSuffixes.contains(self)
  }

  /// Without the dot at the end by which a name is absolute (RFC 1034 section 3.1).
  var withoutTrailingDot: String { hasSuffix(".") ? String(dropLast()) : self }

  /// Whether this host is an IP address.
  var isAddress: Bool {
    contains(":") || split(separator: ".").last.map { $0.allSatisfy(\.isNumber) } ?? false
  }

  /// Whether a path is this one or below it (RFC 6265 section 5.1.4).
  func contains(path: String) -> Bool {
    path == self || path.hasPrefix(hasSuffix("/") ? self : self + "/")
  }
}
