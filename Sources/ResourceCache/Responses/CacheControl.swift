package import ResourceLoading
import ResourcePrimitives

/// The `Cache-Control` directives that a private cache observes (RFC 9111 section 5.2, RFC 5861,
/// RFC 8246).
package struct CacheControl: Sendable, Hashable {
  /// `no-store`: must not be stored.
  package var noStore = false
  /// `no-cache`: must be revalidated before each use. Field names in its value are ignored.
  package var noCache = false
  /// `must-revalidate`: must never be used stale.
  package var mustRevalidate = false
  /// `public`: may be stored even if it isn't cacheable by default.
  package var isPublic = false
  /// `private`: may be stored by a private cache.
  package var isPrivate = false
  /// `must-understand`: may be stored only if the status is understood.
  package var mustUnderstand = false
  /// `immutable`: doesn't change while it is fresh (RFC 8246).
  package var isImmutable = false
  /// `only-if-cached`: no request may be sent.
  package var onlyIfCached = false
  /// `max-age`: the maximum age.
  package var maxAge: Duration?
  /// `min-fresh`: the time for which it must stay fresh.
  package var minFresh: Duration?
  /// `max-stale`: the maximum staleness; ``greatest`` without a value.
  package var maxStale: Duration?
  /// `stale-while-revalidate`: the maximum staleness during revalidation.
  package var staleWhileRevalidate: Duration?
  /// `stale-if-error`: the maximum staleness after a failed revalidation.
  package var staleIfError: Duration?

  /// 2³¹ seconds, which replaces all greater numbers (RFC 9111 section 1.2.2).
  static let greatest = Duration.seconds(Int64(1) << 31)

  package init(_ headers: Headers) {
    var scanner = FieldScanner(headers.values(of: .cacheControl).joined(separator: ","))
    var seen: Set<String> = []
    while let (name, value) = scanner.directive() {
      // The first of repeated directives is used (section 4.2.1).
      if seen.insert(name).inserted { set(name, value) }
    }
    // `Pragma` is used only without `Cache-Control` (section 5.4).
    if headers[.cacheControl] == nil,
      headers.elements(of: .pragma).contains(where: {
        $0.lowercased() == "no-cache"
      })
    {
      noCache = true
    }
  }

  private mutating func set(_ name: String, _ value: String?) {
    switch name {
    case "no-store": noStore = true
    case "no-cache": noCache = true
    case "must-revalidate": mustRevalidate = true
    case "public": isPublic = true
    case "private": isPrivate = true
    case "must-understand": mustUnderstand = true
    case "immutable": isImmutable = true
    case "only-if-cached": onlyIfCached = true
    // An invalid number means stale (section 4.2.1).
    case "max-age": maxAge = Self.seconds(value) ?? .zero
    // An invalid number is treated as the strictest value.
    case "min-fresh": minFresh = Self.seconds(value) ?? Self.greatest
    case "max-stale": maxStale = value == nil ? Self.greatest : Self.seconds(value) ?? .zero
    case "stale-while-revalidate": staleWhileRevalidate = Self.seconds(value)
    case "stale-if-error": staleIfError = Self.seconds(value)
    default: break
    }
  }

  /// Parses whole seconds (section 1.2.2); `nil` for anything else.
  static func seconds(_ text: String?) -> Duration? {
    guard let text, text.hasOnlyDigits else { return nil }
    return .seconds(min(Int64(text) ?? 1 << 31, 1 << 31))
  }
}

extension FieldScanner {
  /// Reads a directive of a comma-separated list: `name`, `name=token` or `name="quoted \" text"`.
  /// The name is in lower case; `nil` at the end.
  fileprivate mutating func directive() -> (name: String, value: String?)? {
    skipSpace(and: ",")
    guard !isAtEnd else { return nil }
    let name = text(before: "=, \t").lowercased()
    skipSpace()
    guard skip("=") else { return (name, nil) }
    skipSpace()
    let value = value(before: ", \t")
    _ = text(before: ",")
    return (name, value)
  }
}
