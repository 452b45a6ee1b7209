import Foundation

extension Cookie {
  /// Reads a `Set-Cookie` (RFC 6265 sections 5.2 and 5.3, and what its successor adds: cookies without a name,
  /// and prefixes in any case).
  ///
  /// A domain that isn't the host's own or one above it is refused, and so is a public suffix, such as `co.uk`, and
  /// one with a dot at its end. Attributes of more than 1 KiB don't count. Prefixes `__Secure-` and `__Host-` are kept to. Of an attribute that is repeated
  /// the last one counts.
  ///
  /// - Parameters:
  ///   - text: One cookie with its attributes.
  ///   - url: Where it came from.
  ///   - date: The date, for `Max-Age`.
  /// - Returns: `nil` for what isn't a cookie, or isn't one that this URL may set.
  init?(_ text: String, from url: URL, at date: Date) {
    let parts = text.split(separator: ";", omittingEmptySubsequences: false)
    guard let host = url.cookieHost, let first = parts.first,
      !text.utf8.contains(where: { $0 < 0x20 && $0 != 9 || $0 == 0x7F })
    else { return nil }
    let pair = Self.pair(first) ?? ("", first.trimmingSpaces())
    self.init(name: pair.name, value: pair.value, domain: host, path: url.defaultCookiePath)
    guard !(name.isEmpty && value.isEmpty), name.utf8.count + value.utf8.count <= 4096 else {
      return nil
    }
    var (maxAge, domain) = (nil as Date?, "")
    for part in parts.dropFirst() where part.utf8.count <= 1024 {
      let (name, value) = Self.pair(part) ?? (part.trimmingSpaces(), "")
      switch name.lowercased() {
      case "expires": expiration = CookieDate.date(value) ?? expiration
      case "max-age": maxAge = Self.expiration(maxAge: value, at: date) ?? maxAge
      case "domain": domain = value
      case "path": path = value.hasPrefix("/") ? value : url.defaultCookiePath
      case "secure": isSecure = true
      default: break
      }
    }
    expiration = maxAge ?? expiration
    guard let named = Self.domain(domain, of: host) else { return nil }
    (self.domain, includesSubdomains) = named
    guard mayBeSet(from: url) else { return nil }
  }

  /// What stands before and behind the first `=`; `nil` if there is none.
  private static func pair(_ text: Substring) -> (name: String, value: String)? {
    guard let equals = text.firstIndex(of: "=") else { return nil }
    return (
      text[..<equals].trimmingSpaces(), text[text.index(after: equals)...].trimmingSpaces()
    )
  }

  private static func expiration(maxAge text: String, at date: Date) -> Date? {
    let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
    guard !text.hasPrefix("-"), let seconds = Double(text), seconds > 0 else { return .distantPast }
    return date.addingTimeInterval(min(seconds, 400 * 86_400))
  }

  /// The domain that an attribute names, and whether hosts below it are meant; `nil` if it may not be set.
  private static func domain(_ text: String, of host: String) -> (String, Bool)? {
    let domain = (text.hasPrefix(".") ? String(text.dropFirst()) : text).lowercased()
    guard !domain.isEmpty else { return (host, false) }
    // A host that is a public suffix itself has cookies of its own, but none for what is below it.
    if domain == host { return (host, !host.isAddress && !host.isShared) }
    guard host.isBelow(domain), !domain.isShared else { return nil }
    return (domain, true)
  }

  private func mayBeSet(from url: URL) -> Bool {
    let isSafe = url.scheme?.lowercased() == "https"
    if isSecure, !isSafe { return false }
    // A cookie without a name is sent as its value alone, which mustn't look like one of these either.
    let prefix = (name.isEmpty ? value : name).lowercased()
    if prefix.hasPrefix("__host-") {
      return !name.isEmpty && isSecure && !includesSubdomains && path == "/"
    }
    return !prefix.hasPrefix("__secure-") || (isSecure && !name.isEmpty)
  }
}
