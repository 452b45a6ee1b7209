public import Foundation
import ResourceLoading

/// Which servers are told of a trace.
///
/// What isn't allowed here gets no `traceparent`, `tracestate` and `baggage`: also no server that a redirect leads to.
public struct TracePropagation: Sendable, Hashable {
  private var scope: Scope
  private var origins: Set<Origin> = []

  private enum Scope: Sendable, Hashable {
    case nowhere, baseURL, everywhere
  }

  /// The origin of the client's base URL; none if the client has no base URL.
  public static let baseURL = TracePropagation(scope: .baseURL)

  /// No server: loads are recorded, and nobody is told.
  public static let nowhere = TracePropagation(scope: .nowhere)

  /// Every server. What a trace and its baggage say about a program is then said to whoever is asked for something.
  public static let everywhere = TracePropagation(scope: .everywhere)

  /// Returns this with some origins more.
  ///
  /// - Parameter urls: URLs of which scheme, host and port count.
  public func and(_ urls: URL...) -> TracePropagation {
    var wider = self
    for url in urls { wider.origins.insert(url.origin) }
    return wider
  }
}

extension TracePropagation {
  /// Returns whether the server of a URL is told.
  ///
  /// - Parameter baseURL: The base URL of the client; `nil` if it has none.
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
  /// Whether the text of this URL is that of another one with more behind it, so that they have the same origin. Cheaper
  /// than taking both to pieces; `false` says nothing.
  fileprivate func isBelow(_ base: URL) -> Bool {
    var (text, base) = (absoluteString, base.absoluteString)
    return text.withUTF8 { text in
      base.withUTF8 { base in
        guard text.starts(with: base) else { return false }
        let next = text.count > base.count ? text[base.count] : nil
        return next == nil || next == UInt8(ascii: "/") || next == UInt8(ascii: "?")
          || base.last == UInt8(ascii: "/") && base.count > "https://".utf8.count
      }
    }
  }
}
