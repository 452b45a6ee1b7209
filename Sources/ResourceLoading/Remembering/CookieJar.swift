public import Foundation
import Synchronization

/// Cookies that a client keeps and sends (RFC 6265), in memory.
///
/// ```swift
/// let jar = CookieJar()
/// let client = Client(baseURL: url) { $0.cookies = jar }
/// ```
///
/// A client has none unless it is given one; clients that are given the same share it. Responses on the way of a
/// redirect count as well. A request that has a `Cookie` header of its own is sent as it is.
///
/// All members may be used from any thread.
public final class CookieJar: Sendable {
  private let state: Mutex<[Cookie]>

  /// How many cookies it keeps at most; the oldest go first.
  public static let capacity = 3000
  /// How many cookies of one domain it keeps at most.
  public static let capacityOfDomain = 180

  /// Makes a jar.
  ///
  /// - Parameter cookies: What is in it from the start.
  public init(_ cookies: [Cookie] = []) { state = Mutex(cookies) }

  /// What is in it, the oldest first; what has expired stays until the next one comes.
  public var cookies: [Cookie] { state.withLock(\.self) }

  /// Puts a cookie in, in the place of one of the same name, domain and path.
  public func insert(_ cookie: Cookie) {
    state.withLock { cookies in Self.insert(cookie, into: &cookies, at: Date()) }
  }

  /// Takes all cookies out.
  public func removeAll() { state.withLock { $0 = [] } }
}

extension CookieJar {
  /// What `Cookie` says in a request of a URL; `nil` if there is no cookie for it (RFC 6265 section 5.4).
  ///
  /// - Parameters:
  ///   - url: Where the request goes.
  ///   - date: The date; those that have expired by then aren't sent.
  public func header(for url: URL, at date: Date = Date()) -> String? {
    let cookies = state.withLock { $0.filter { $0.isFor(url, at: date) } }
    // Longer paths come first, else the order of their making; the sort keeps it.
    let sorted = cookies.enumerated().sorted { one, other in
      let (a, b) = (one.element.path.utf8.count, other.element.path.utf8.count)
      return a == b ? one.offset < other.offset : a > b
    }
    let pairs = sorted.map(\.element).map { $0.name.isEmpty ? $0.value : "\($0.name)=\($0.value)" }
    return pairs.isEmpty ? nil : pairs.joined(separator: "; ")
  }

  /// Takes the cookies of a response.
  ///
  /// - Parameters:
  ///   - headers: Those of the response; every `Set-Cookie` is one cookie, commas included.
  ///   - url: Where it came from. One of plain http doesn't replace a cookie that is for https only.
  ///   - date: The date.
  public func store(_ headers: Headers, from url: URL, at date: Date = Date()) {
    let texts = headers.values(of: .setCookie)
    guard !texts.isEmpty else { return }
    let received = texts.compactMap { Cookie($0, from: url, at: date) }
    let isSafe = url.scheme?.lowercased() == "https"
    state.withLock { cookies in
      for cookie in received where isSafe || !cookies.contains(where: cookie.shadows) {
        Self.insert(cookie, into: &cookies, at: date)
      }
    }
  }

  private static func insert(_ cookie: Cookie, into cookies: inout [Cookie], at date: Date) {
    let isAlive = { (cookie: Cookie) in cookie.expiration.map { date < $0 } ?? true }
    let same = cookies.firstIndex { $0.isSame(as: cookie) }
    switch (same, isAlive(cookie)) {
    case (let same?, true): cookies[same] = cookie
    case (let same?, false): cookies.remove(at: same)
    case (nil, true): cookies.append(cookie)
    case (nil, false): return
    }
    cookies.removeAll { !isAlive($0) }
    if cookies.count(where: { $0.domain == cookie.domain }) > capacityOfDomain,
      let oldest = cookies.firstIndex(where: { $0.domain == cookie.domain })
    {
      cookies.remove(at: oldest)
    }
    if cookies.count > capacity { cookies.removeFirst() }
  }
}

extension Cookie {
  /// Whether it takes the other one's place.
  fileprivate func isSame(as other: Cookie) -> Bool {
    name == other.name && domain == other.domain && path == other.path
  }

  /// Whether it would stand before or instead of one that is for https only, which it mustn't.
  fileprivate func shadows(_ other: Cookie) -> Bool {
    other.isSecure && name == other.name && other.path.contains(path: path)
      && (domain == other.domain || domain.isBelow(other.domain) || other.domain.isBelow(domain))
  }
}
