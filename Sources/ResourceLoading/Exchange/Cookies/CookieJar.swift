public import Foundation
import ResourcePrimitives
import Synchronization

/// Stores the cookies of a client in memory (RFC 6265).
///
/// ```swift
/// let jar = CookieJar()
/// let client = Client(baseURL: url) { $0.cookies = jar }
/// ```
///
/// When the jar is full, it removes expired cookies first, then those that aren't for https only,
/// the oldest first. A cookie that arrives by http never displaces one that is for https only. A
/// request sends at most 150 cookies and 8 KB of them.
///
/// A client has no jar by default, and several clients can share one. Cookies of redirects are
/// stored as well. A request that has a `Cookie` header of its own is sent unchanged.
///
/// All members may be used from any thread.
public final class CookieJar: Sendable {
  private let state: Mutex<State>

  private struct State {
    var cookies: [Cookie]
    var removals = 0
  }

  package static let maximumCount = 3000
  package static let maximumCountPerDomain = 50
  /// The maximum number of cookies of one response; additional ones are ignored.
  package static let maximumCountPerResponse = 50
  /// The maximum number of cookies in a request, and the maximum number of their bytes.
  static let maximumPerRequest = (count: 150, bytes: 8190)

  /// Creates a jar.
  ///
  /// - Parameter cookies: The cookies to start with.
  public init(_ cookies: [Cookie] = []) { state = Mutex(State(cookies: cookies)) }

  /// The cookies, the oldest first. Expired ones are removed when the next one is stored.
  public var cookies: [Cookie] { state.withLock(\.cookies) }

  /// Stores a cookie. It replaces one with the same name and path for the same hosts.
  public func insert(_ cookie: Cookie) {
    state.withLock { Self.insert(cookie, into: &$0.cookies, at: Date(), isSafe: true) }
  }

  /// Removes all cookies, and prevents running loads from storing theirs. Call it when the user
  /// signs out.
  public func removeAll() { state.withLock { $0 = State(cookies: [], removals: $0.removals + 1) } }

  /// The number of calls of ``removeAll()``. A load compares it to detect that its user has signed
  /// out.
  var removals: Int { state.withLock(\.removals) }
}

extension CookieJar {
  /// Returns the value of `Cookie` for a request; `nil` if there is no cookie for it (RFC 6265
  /// section 5.4).
  ///
  /// - Parameters:
  ///   - url: The URL of the request.
  ///   - date: The current date; expired cookies aren't sent.
  public func header(for url: URL, at date: Date = Date()) -> String? {
    header(for: url, at: date, since: nil)
  }

  /// Returns the value of `Cookie` for a request of a load. If ``removals`` has changed since the
  /// load began, the cookies belong to the next user, and none is sent.
  func header(for url: URL, at date: Date, since removals: Int?) -> String? {
    guard let target = Cookie.Target(url) else { return nil }
    let cookies = state.withLock { state in
      removals == nil || removals == state.removals
        ? state.cookies.filter { $0.isFor(target, at: date) } : []
    }
    // Longer paths come first, then older cookies: sorting is stable.
    return Self.header(of: cookies.sorted { $0.path.utf8.count > $1.path.utf8.count })
  }

  /// Returns the header with as many of the cookies as the limits allow.
  private static func header(of cookies: [Cookie]) -> String? {
    var (pairs, bytes) = ([] as [String], 0)
    for cookie in cookies where pairs.count < maximumPerRequest.count {
      let pair = cookie.name.isEmpty ? cookie.value : "\(cookie.name)=\(cookie.value)"
      guard bytes + pair.utf8.count + 2 <= maximumPerRequest.bytes else { continue }
      pairs.append(pair)
      bytes += pair.utf8.count + 2
    }
    return pairs.isEmpty ? nil : pairs.joined(separator: "; ")
  }

  /// Stores the cookies of a response.
  ///
  /// - Parameters:
  ///   - headers: The headers of the response. Every `Set-Cookie` is one cookie and may contain
  ///     commas.
  ///   - url: The URL of the response. A cookie that arrives by http doesn't replace one that is
  ///     for https only.
  ///   - date: The current date.
  public func store(_ headers: Headers, from url: URL, at date: Date = Date()) {
    store(headers, from: url, at: date, since: nil)
  }

  /// Stores the cookies of a response to a load. If ``removals`` has changed since the load began,
  /// they belong to a user who has signed out, and are ignored.
  func store(_ headers: Headers, from url: URL, at date: Date, since removals: Int?) {
    let texts = headers.values(of: .setCookie)
    guard !texts.isEmpty else { return }
    let received = texts.prefix(Self.maximumCountPerResponse).compactMap {
      Cookie($0, from: url, at: date)
    }
    state.withLock { state in
      guard removals == nil || removals == state.removals else { return }
      for cookie in received where url.isSecure || !state.cookies.contains(where: cookie.shadows) {
        Self.insert(cookie, into: &state.cookies, at: date, isSafe: url.isSecure)
      }
    }
  }

  private static func insert(
    _ cookie: Cookie, into cookies: inout [Cookie], at date: Date, isSafe: Bool
  ) {
    let same = cookies.firstIndex { $0.isSame(as: cookie) }
    switch (same, cookie.isAlive(at: date)) {
    case (let same?, true): cookies[same] = cookie
    case (let same?, false): cookies.remove(at: same)
    case (nil, true): cookies.append(cookie)
    case (nil, false): return
    }
    cookies.removeAll { !$0.isAlive(at: date) }
    if cookies.count(where: { $0.domain == cookie.domain }) > maximumCountPerDomain {
      evict(from: &cookies, isSafe) { $0.domain == cookie.domain }
    }
    if cookies.count > maximumCount { evict(from: &cookies, isSafe) { _ in true } }
  }

  /// Removes one cookie: the oldest that isn't for https only. If there is none, it removes the
  /// oldest if the new one arrived by https, otherwise the new one.
  private static func evict(
    from cookies: inout [Cookie], _ isSafe: Bool, where isOfThem: (Cookie) -> Bool
  ) {
    let plain = cookies.firstIndex { isOfThem($0) && !$0.isSecure }
    let oldest = isSafe ? cookies.firstIndex(where: isOfThem) : cookies.lastIndex(where: isOfThem)
    if let place = plain ?? oldest { cookies.remove(at: place) }
  }
}

extension Cookie {
  /// Returns whether it replaces another cookie. A cookie of a host below can't replace one that is
  /// for this host alone.
  fileprivate func isSame(as other: Cookie) -> Bool {
    name == other.name && domain == other.domain && path == other.path
      && includesSubdomains == other.includesSubdomains
  }

  /// Returns whether it would be sent before or instead of a cookie that is for https only. The jar
  /// doesn't allow that.
  fileprivate func shadows(_ other: Cookie) -> Bool {
    other.isSecure && name == other.name && other.path.contains(path: path)
      && (domain == other.domain || domain.isBelow(other.domain) || other.domain.isBelow(domain))
  }
}
