public import Foundation
import ResourceLoading
import ResourcePrimitives

/// The servers to which the headers of a trace are sent.
///
/// Other servers get no `traceparent`, `tracestate` or `baggage`, even if a redirect leads to them.
public struct TracePropagation: Sendable, Hashable {
  private var scope: Scope
  private var origins: Set<Origin> = []

  private enum Scope: Sendable, Hashable {
    case nowhere, baseURL, everywhere
  }

  /// The origin of the client's base URL; none if the client has no base URL.
  public static let baseURL = TracePropagation(scope: .baseURL)

  /// No server. Loads are recorded, but no headers are sent.
  public static let nowhere = TracePropagation(scope: .nowhere)

  /// Every server. Each server from which the program loads can then see what a trace and its
  /// baggage reveal about the program.
  public static let everywhere = TracePropagation(scope: .everywhere)

  /// Returns these servers and those with the origins of some URLs.
  ///
  /// - Parameter urls: The URLs. Only the scheme, host and port are used.
  public func and(_ urls: URL...) -> TracePropagation {
    var wider = self
    for url in urls { wider.origins.insert(url.origin) }
    return wider
  }
}

extension TracePropagation {
  /// Returns whether the server of a URL gets the headers.
  func allows(_ url: URL, baseURL: URL?) -> Bool {
    switch scope {
    case .everywhere: return true
    case .baseURL:
      if let baseURL, url.isBelow(baseURL) || url.isSameOrigin(as: baseURL) { return true }
    case .nowhere: break
    }
    return !origins.isEmpty && origins.contains(url.origin)
  }
}

extension URL {
  /// Returns `true` if the text of this URL begins with that of another one, so that both have the
  /// same origin. This is cheaper than parsing both. If the result is `false`, they may still have
  /// the same origin.
  fileprivate func isBelow(_ base: URL) -> Bool {
    let (text, base) = (absoluteString.utf8, base.absoluteString.utf8)
    guard text.starts(with: base) else { return false }
    let next = text.dropFirst(base.count).first
    return next == nil || next == UInt8(ascii: "/") || next == UInt8(ascii: "?")
      || base.last == UInt8(ascii: "/") && base.count > "https://".utf8.count
  }
}
