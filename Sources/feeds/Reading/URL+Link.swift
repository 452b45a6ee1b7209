import Foundation
import ResourceLoading

extension URL {
  /// The URL of a link in a document.
  ///
  /// - Parameters:
  ///   - text: The link, relative or absolute, possibly with white space around it.
  ///   - base: What a relative one starts at.
  /// - Returns: An absolute URL, or `nil` if there is no link or it can't be read.
  static func link(_ text: String?, base: URL) -> URL? {
    guard let text = text?.trimmingCharacters(in: .whitespacesAndNewlines), !text.isEmpty,
      let url = URL(reference: text, from: base), url.scheme != nil
    else { return nil }
    return url
  }
}
