import Foundation

extension Cookie {
  /// Reads a `Set-Cookie` (RFC 6265 sections 5.2 and 5.3).
  ///
  /// A domain that isn't the host's own or one above it is refused, and so is one without a dot, which would be
  /// a whole top-level domain. Prefixes `__Secure-` and `__Host-` are kept to.
  ///
  /// - Parameters:
  ///   - text: One cookie with its attributes.
  ///   - url: Where it came from.
  ///   - date: The date, for `Max-Age`.
  /// - Returns: `nil` for what isn't a cookie, or isn't one that this URL may set.
  init?(_ text: String, from url: URL, at date: Date) {
    let parts = text.split(separator: ";", omittingEmptySubsequences: false)
    guard let host = url.host()?.lowercased(), let first = parts.first,
      let equals = first.firstIndex(of: "="),
      !text.utf8.contains(where: { $0 < 0x20 && $0 != 9 || $0 == 0x7F })
    else { return nil }
    self.init(
      name: first[..<equals].trimmingSpaces(),
      value: first[first.index(after: equals)...].trimmingSpaces(), domain: host,
      path: url.defaultCookiePath)
    guard !(name.isEmpty && value.isEmpty), name.utf8.count + value.utf8.count <= 4096 else {
      return nil
    }
    var maxAge: Date?
    for part in parts.dropFirst() {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let value = pair.count > 1 ? pair[1].trimmingSpaces() : ""
      switch pair[0].trimmingSpaces().lowercased() {
      case "expires": expiration = CookieDate.date(value) ?? expiration
      case "max-age": maxAge = Self.expiration(maxAge: value, at: date) ?? maxAge
      case "domain":
        guard let (domain, isBelow) = Self.domain(value, of: host) else { return nil }
        (self.domain, includesSubdomains) = (domain, isBelow)
      case "path": path = value.hasPrefix("/") ? value : url.defaultCookiePath
      case "secure": isSecure = true
      default: break
      }
    }
    expiration = maxAge ?? expiration
    guard mayBeSet(from: url) else { return nil }
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
    if domain == host { return (host, !host.isAddress) }
    guard host.isBelow(domain), domain.contains(".") else { return nil }
    return (domain, true)
  }

  private func mayBeSet(from url: URL) -> Bool {
    let isSafe = url.scheme?.lowercased() == "https"
    if isSecure, !isSafe { return false }
    if name.hasPrefix("__Host-") { return isSecure && !includesSubdomains && path == "/" }
    return !name.hasPrefix("__Secure-") || isSecure
  }
}

/// Dates as cookies have them (RFC 6265 section 5.1.1): tokens in any order.
enum CookieDate {
  private static let months = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]

  static func date(_ text: String) -> Date? {
    var (time, day, month, year) = (nil as [Int]?, nil as Int?, nil as Int?, nil as Int?)
    for token in text.lowercased().split(whereSeparator: {
      !($0.isLetter || $0.isNumber || $0 == ":")
    }) {
      let number = Int(token.prefix { $0.isASCII && $0.isNumber })
      let digits = token.prefix { $0.isASCII && $0.isNumber }.count
      if time == nil, token.contains(":") {
        time = token.split(separator: ":").map { Int($0.prefix { $0.isNumber }) ?? -1 }
      } else if day == nil, let number, digits <= 2 {
        day = number
      } else if month == nil, let index = months.firstIndex(where: { token.hasPrefix($0) }) {
        month = index + 1
      } else if year == nil, let number, digits == 2 || digits == 4 {
        year = digits == 4 ? number : number + (number < 70 ? 2000 : 1900)
      }
    }
    guard let time, let day, let month, let year, time.count == 3, year >= 1601,
      (1...31).contains(day),
      (0...23).contains(time[0]), (0...59).contains(time[1]), (0...59).contains(time[2])
    else { return nil }
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    let parts = DateComponents(
      year: year, month: month, day: day, hour: time[0], minute: time[1], second: time[2])
    guard parts.isValidDate(in: calendar) else { return nil }
    return calendar.date(from: parts)
  }
}
