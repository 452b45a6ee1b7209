public import Foundation
import Synchronization

/// Cookies that a client keeps and sends (RFC 6265), in memory.
///
/// ```swift
/// let jar = CookieJar()
/// let client = Client(baseURL: url) { $0.cookies = jar }
/// ```
///
/// When there is no more room, what has expired goes first, then cookies that aren't for https only, the oldest of
/// them first. What comes by http drives none out that is for https only. Of the cookies for a request those beyond
/// 150 and beyond 8 KB stay behind.
///
/// A client has none unless it is given one; clients that are given the same share it. Responses on the way of a
/// redirect count as well. A request that has a `Cookie` header of its own is sent as it is.
///
/// All members may be used from any thread.
public final class CookieJar: Sendable {
  private let state: Mutex<[Cookie]>

  /// How many cookies it keeps at most.
  public static let capacity = 3000
  /// How many cookies of one domain it keeps at most.
  public static let capacityOfDomain = 50
  /// How many cookies of one response it takes at most; further ones are dropped.
  public static let capacityOfResponse = 50
  /// How many cookies go with one request at most, and how many bytes they have together.
  static let capacityOfRequest = (count: 150, bytes: 8190)

  /// Makes a jar.
  ///
  /// - Parameter cookies: What is in it from the start.
  public init(_ cookies: [Cookie] = []) { state = Mutex(cookies) }

  /// What is in it, the oldest first; what has expired stays until the next one comes.
  public var cookies: [Cookie] { state.withLock(\.self) }

  /// Puts a cookie in, in the place of one of the same name, domain and path.
  public func insert(_ cookie: Cookie) {
    state.withLock { cookies in Self.insert(cookie, into: &cookies, at: Date(), isSafe: true) }
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
    guard let target = Cookie.Target(url) else { return nil }
    let cookies = state.withLock { $0.filter { $0.isFor(target, at: date) } }
    // Longer paths come first, else the order of their making; the sort keeps it.
    let sorted = cookies.enumerated().sorted { one, other in
      let (a, b) = (one.element.path.utf8.count, other.element.path.utf8.count)
      return a == b ? one.offset < other.offset : a > b
    }
    return Self.header(of: sorted.map(\.element))
  }

  /// As many of them as a header holds.
  private static func header(of cookies: [Cookie]) -> String? {
    var (pairs, bytes) = ([] as [String], 0)
    for cookie in cookies where pairs.count < capacityOfRequest.count {
      let pair = cookie.name.isEmpty ? cookie.value : "\(cookie.name)=\(cookie.value)"
      guard bytes + pair.utf8.count + 2 <= capacityOfRequest.bytes else { continue }
      pairs.append(pair)
      bytes += pair.utf8.count + 2
    }
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
    let received = texts.prefix(Self.capacityOfResponse).compactMap {
      Cookie($0, from: url, at: date)
    }
    let isSafe = url.scheme?.lowercased() == "https"
    state.withLock { cookies in
      for cookie in received where isSafe || !cookies.contains(where: cookie.shadows) {
        Self.insert(cookie, into: &cookies, at: date, isSafe: isSafe)
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
    if cookies.count(where: { $0.domain == cookie.domain }) > capacityOfDomain {
      evict(from: &cookies, isSafe) { $0.domain == cookie.domain }
    }
    if cookies.count > capacity { evict(from: &cookies, isSafe) { _ in true } }
  }

  /// Takes one cookie out: the oldest that isn't for https only, else the oldest if https itself wants the room,
  /// else the newest, which is the one that came.
  private static func evict(
    from cookies: inout [Cookie], _ isSafe: Bool, where isOfThem: (Cookie) -> Bool
  ) {
    let plain = cookies.firstIndex { isOfThem($0) && !$0.isSecure }
    let oldest = isSafe ? cookies.firstIndex(where: isOfThem) : cookies.lastIndex(where: isOfThem)
    if let place = plain ?? oldest { cookies.remove(at: place) }
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
