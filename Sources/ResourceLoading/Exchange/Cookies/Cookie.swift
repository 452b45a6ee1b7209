public import Foundation
import ResourcePrimitives

/// A cookie in a jar (RFC 6265 section 5.3).
public struct Cookie: Sendable, Hashable {
  /// The name; may be empty.
  public var name: String
  /// The value, including any quotes.
  public var value: String
  /// The host that gets it, in lower case.
  public var domain: String
  /// Whether hosts below `domain` get it as well.
  public var includesSubdomains: Bool
  /// The path that gets it; begins with a slash.
  public var path: String
  /// When it expires; `nil` if it lasts as long as the jar.
  public var expiration: Date?
  /// Whether it is sent over https only.
  public var isSecure: Bool

  /// Creates a cookie, for a jar that has it from the start.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - value: The value.
  ///   - domain: The host that gets it. A dot at its beginning, as in the files of browsers, is
  ///     ignored.
  ///   - includesSubdomains: Whether hosts below `domain` get it as well.
  ///   - path: The path that gets it.
  ///   - expiration: When it expires.
  ///   - isSecure: Whether it is sent over https only.
  public init(
    name: String, value: String, domain: String, includesSubdomains: Bool = false,
    path: String = "/", expiration: Date? = nil, isSecure: Bool = false
  ) {
    self.name = name
    self.value = value
    self.domain = String(domain.trimmingPrefix(".")).lowercased()
    self.includesSubdomains = includesSubdomains
    self.path = path
    self.expiration = expiration
    self.isSecure = isSecure
  }
}

extension Cookie {
  /// The properties of a request's URL by which cookies are chosen.
  struct Target {
    let host: String
    let path: String
    let isSecure: Bool

    /// - Returns: `nil` for a URL without a host.
    init?(_ url: URL) {
      guard let host = url.plainHost else { return nil }
      self.host = host
      path = url.cookiePath
      isSecure = url.isSecure
    }
  }

  /// Returns whether a request sends it (RFC 6265 section 5.4).
  func isFor(_ target: Target, at date: Date) -> Bool {
    let isSameOrigin = target.host == domain || includesSubdomains && target.host.isBelow(domain)
    return isSameOrigin && isAlive(at: date) && path.contains(path: target.path)
      && (!isSecure || target.isSecure)
  }

  func isAlive(at date: Date) -> Bool { expiration.map { date < $0 } ?? true }
}

extension Cookie: CustomStringConvertible, CustomReflectable {
  /// The name and the domain, without the value.
  public var description: String {
    "Cookie(\(name)=\(Secrets.replacement); Domain=\(domain); Path=\(path))".printable
  }

  /// Shows nothing of the value to `dump` and debuggers.
  public var customMirror: Mirror {
    Mirror(self, children: ["name": name, "domain": domain, "path": path])
  }
}

extension URL {
  /// The host in lower case and without a trailing dot; `nil` if it is empty.
  var plainHost: String? {
    foldedHost.map(\.withoutTrailingDot).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The path by which cookies are chosen; never empty.
  var cookiePath: String {
    let path = path(percentEncoded: true)
    return path.hasPrefix("/") ? path : "/"
  }

  /// The path of cookies without a path of their own (RFC 6265 section 5.1.4).
  var defaultCookiePath: String {
    guard let slash = cookiePath.lastIndex(of: "/"), slash != cookiePath.startIndex else {
      return "/"
    }
    return String(cookiePath[..<slash])
  }
}

extension String {
  /// Whether this host is below a domain (RFC 6265 section 5.1.3). An address never is.
  func isBelow(_ domain: String) -> Bool {
    hasSuffix("." + domain) && !isAddress
  }

  /// Whether this domain is a public suffix. A domain with letters beyond ASCII that aren't in the
  /// form of RFC 3492 can't be looked up, so the result is `true`.
  var isShared: Bool {
    utf8.contains { $0 >= 0x80 || $0 == UInt8(ascii: "%") } || PublicSuffixes.contains(self)
  }

  /// The name without the trailing dot of an absolute name (RFC 1034 section 3.1).
  var withoutTrailingDot: String { hasSuffix(".") ? String(dropLast()) : self }

  var isAddress: Bool {
    includes(":") || split(separator: ".").last.map { $0.allSatisfy(\.isNumber) } ?? false
  }
}

extension Cookie {
  /// Reads a `Set-Cookie` (RFC 6265 sections 5.2 and 5.3, and additions of RFC 6265bis: cookies
  /// without a name, prefixes in any case, and a maximum age of 400 days). `nil` for a text that
  /// isn't a cookie, or for a cookie that this URL may not set.
  ///
  /// The domain must be the host's own or one above it. A public suffix, such as `co.uk`, is
  /// refused, and so is a domain with a dot at its end. Attributes of more than 1 KiB are ignored.
  /// The prefixes `__Secure-`, `__Host-`, `__Http-` and `__Host-Http-` are enforced. The last of a
  /// repeated attribute applies.
  init?(_ text: String, from url: URL, at date: Date) {
    let parts = text.parts(between: ";", omittingEmpty: false)
    guard let host = url.plainHost, let first = parts.first,
      !text.utf8.contains(where: { $0 < 0x20 && $0 != 9 || $0 == 0x7F })
    else { return nil }
    let pair = Self.pair(first) ?? ("", first.trimmingSpaces())
    self.init(name: pair.name, value: pair.value, domain: host, path: url.defaultCookiePath)
    guard !(name.isEmpty && value.isEmpty), name.utf8.count + value.utf8.count <= 4096 else {
      return nil
    }
    var (maxAge, domain) = (nil as Date?, "")
    var (hasPath, isHTTPOnly) = (false, false)
    for part in parts.dropFirst() where part.utf8.count <= 1024 {
      let (name, value) = Self.pair(part) ?? (part.trimmingSpaces(), "")
      switch name.lowercased() {
      case "expires": expiration = CookieDate.date(value) ?? expiration
      case "max-age": maxAge = Self.expiration(maxAge: value, at: date) ?? maxAge
      case "domain": domain = value
      case "path":
        hasPath = true
        path = value.begins(with: "/") ? value : url.defaultCookiePath
      case "secure": isSecure = true
      case "httponly": isHTTPOnly = true
      default: break
      }
    }
    expiration = (maxAge ?? expiration).map { min($0, date.addingTimeInterval(Self.maximumAge)) }
    guard let named = Self.domain(domain, of: host) else { return nil }
    (self.domain, includesSubdomains) = named
    guard mayBeSet(from: url, hasPath: hasPath, isHTTPOnly: isHTTPOnly) else { return nil }
  }

  /// The longest time for which a cookie is kept: 400 days, in seconds.
  private static let maximumAge: TimeInterval = 400 * 86_400

  /// Returns the text before and after the first `=`; `nil` if there is none.
  private static func pair(_ text: Substring) -> (name: String, value: String)? {
    guard let (name, value) = text.cut(at: "=") else { return nil }
    return (name.trimmingSpaces(), value.trimmingSpaces())
  }

  private static func expiration(maxAge text: String, at date: Date) -> Date? {
    let digits = text.begins(with: "-") ? text.dropFirst() : text[...]
    guard digits.hasOnlyDigits else { return nil }
    guard !text.begins(with: "-"), let seconds = Double(text), seconds > 0 else {
      return .distantPast
    }
    return date.addingTimeInterval(min(seconds, maximumAge))
  }

  /// Returns the domain of an attribute, and whether it includes hosts below; `nil` if the host may
  /// not set it.
  private static func domain(_ text: String, of host: String) -> (String, Bool)? {
    let domain = (text.hasPrefix(".") ? String(text.dropFirst()) : text).lowercased()
    guard !domain.isEmpty else { return (host, false) }
    // A host that is a public suffix can set cookies for itself, but not for hosts below it.
    if domain == host { return (host, !host.isAddress && !host.isShared) }
    guard host.isBelow(domain), !domain.isShared else { return nil }
    return (domain, true)
  }

  /// Returns whether a URL may set it, given the prefix of its name (RFC 6265bis section 4.1.3).
  private func mayBeSet(from url: URL, hasPath: Bool, isHTTPOnly: Bool) -> Bool {
    if isSecure, !url.isSecure { return false }
    // A cookie without a name is sent as its value alone, so the value must not have such a prefix
    // either.
    let prefix = (name.isEmpty ? value : name).lowercased()
    let isForHost = prefix.begins(with: "__host-")
    let isForHTTP = prefix.begins(with: "__http-") || prefix.begins(with: "__host-http-")
    guard isForHost || isForHTTP || prefix.begins(with: "__secure-") else { return true }
    guard !name.isEmpty, isSecure, isHTTPOnly || !isForHTTP else { return false }
    return !isForHost || !includesSubdomains && hasPath && path == "/"
  }
}
