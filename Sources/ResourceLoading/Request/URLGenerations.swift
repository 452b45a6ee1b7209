package import Foundation
import ResourcePrimitives

/// Counts what makes earlier responses obsolete, of one URL or of all: removals from a cache, and
/// changes on the server.
package struct URLGenerations: Sendable {
  private var count = 0
  /// The number of the last event for all URLs.
  private var ofAll = 0
  /// The number of the last event for each URL.
  private var ofURLs: [String: Int] = [:]

  /// The number of URLs that are told apart.
  private static let capacity = 512

  package init() {}

  /// Counts an event for a URL, given by its ``Foundation/URL/normalizedText``.
  package mutating func advance(_ url: String) {
    count += 1
    if ofURLs.count >= Self.capacity { (ofAll, ofURLs) = (count, [:]) } else { ofURLs[url] = count }
  }

  package mutating func advanceAll() {
    count += 1
    (ofAll, ofURLs) = (count, [:])
  }

  /// Returns the number of the last event for a URL; it never decreases.
  package func generation(of url: URL) -> Int {
    ofURLs.isEmpty ? ofAll : max(ofAll, ofURLs[url.normalizedText] ?? 0)
  }
}
