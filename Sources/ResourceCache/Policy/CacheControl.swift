package import ResourceLoading

/// The directives of `Cache-Control` that a private cache heeds (RFC 9111 section 5.2, RFC 5861, RFC 8246).
package struct CacheControl: Sendable, Hashable {
  /// `no-store`: nothing of it may be kept.
  package var noStore = false
  /// `no-cache`: not to be used without asking the server. With field names it counts as without.
  package var noCache = false
  /// `must-revalidate`: not to be used stale, whatever happens.
  package var mustRevalidate = false
  /// `public`: may be kept, also where that isn't the rule.
  package var isPublic = false
  /// `private`: may be kept by a cache of one user.
  package var isPrivate = false
  /// `must-understand`: to be kept only by who knows the status.
  package var mustUnderstand = false
  /// `immutable`: doesn't change while it is fresh (RFC 8246).
  package var isImmutable = false
  /// `only-if-cached`: nothing may be sent.
  package var onlyIfCached = false
  /// `max-age`: how old it may be.
  package var maxAge: Duration?
  /// `min-fresh`: how long it must stay fresh.
  package var minFresh: Duration?
  /// `max-stale`: how long it may have been stale; `.greatest` without a value.
  package var maxStale: Duration?
  /// `stale-while-revalidate`: how long it may be used stale while asking.
  package var staleWhileRevalidate: Duration?
  /// `stale-if-error`: how long it may be used stale when asking fails.
  package var staleIfError: Duration?

  /// Longer than anything can be kept: RFC 9111 section 1.2.2 takes 2³¹ seconds for numbers too large.
  static let greatest = Duration.seconds(1 << 31)

  /// Reads the directives of a message.
  package init(_ headers: Headers) {
    var scanner = DirectiveScanner(headers.values(of: .cacheControl).joined(separator: ","))
    var seen: Set<String> = []
    while let (name, value) = scanner.next() {
      // Of a directive that is repeated, the first one counts (section 4.2.1).
      if seen.insert(name).inserted { set(name, value) }
    }
    // Section 5.4: only where there is nothing better.
    if headers[.cacheControl] == nil, headers[.pragma]?.lowercased().contains("no-cache") == true {
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
    // What isn't a number is no freshness at all (section 4.2.1).
    case "max-age": maxAge = Self.seconds(value) ?? .zero
    // The highest demand there is.
    case "min-fresh": minFresh = Self.seconds(value) ?? Self.greatest
    case "max-stale": maxStale = value == nil ? Self.greatest : Self.seconds(value) ?? .zero
    case "stale-while-revalidate": staleWhileRevalidate = Self.seconds(value)
    case "stale-if-error": staleIfError = Self.seconds(value)
    default: break
    }
  }

  /// Whole seconds (section 1.2.2), or `nil` for anything else.
  static func seconds(_ text: String?) -> Duration? {
    guard let text, !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    return .seconds(min(Int64(text) ?? 1 << 31, 1 << 31))
  }
}

/// Steps over a list of directives: `name`, `name=token` or `name="quoted \" text"`, with commas between.
struct DirectiveScanner {
  private var rest: Substring

  init(_ text: String) { rest = text[...] }

  /// The next directive, its name in lower case, or `nil` at the end.
  mutating func next() -> (name: String, value: String?)? {
    skip { $0 == "," || $0.isWhitespace }
    guard !rest.isEmpty else { return nil }
    let name = take { $0 != "," && $0 != "=" && !$0.isWhitespace }.lowercased()
    skip(\.isWhitespace)
    guard rest.first == "=" else { return (name, nil) }
    rest.removeFirst()
    skip(\.isWhitespace)
    let value = rest.first == "\"" ? quoted() : take { $0 != "," && !$0.isWhitespace }
    skip { $0 != "," }
    return (name, value)
  }

  private mutating func quoted() -> String {
    rest.removeFirst()
    var value = ""
    while let character = rest.popFirst(), character != "\"" {
      value.append(character == "\\" ? rest.popFirst() ?? character : character)
    }
    return value
  }

  private mutating func take(_ isPart: (Character) -> Bool) -> String {
    let part = rest.prefix(while: isPart)
    rest = rest[part.endIndex...]
    return String(part)
  }

  private mutating func skip(_ isSkipped: (Character) -> Bool) {
    rest = rest.drop(while: isSkipped)
  }
}
