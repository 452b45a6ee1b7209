internal import Foundation
package import ResourceLoading
internal import ResourcePrimitives

extension StoredResponse {
  /// Whether its headers can be stored as one text (`Headers.storedText`), and neither they nor the
  /// URL that redirects led to contain a credential.
  package func isWritable(under key: CacheKey) -> Bool {
    let hasNUL = [response.headers, selectingHeaders].joined().contains {
      $0.name.rawValue.utf8.contains(0) || $0.value.utf8.contains(0)
    }
    guard !hasNUL else { return false }
    let url = response.url.absoluteString
    return (url == key.url || !SecretText.holdsCredential(url))
      && !response.headers.contains {
        Secrets.isCredential(name: $0.name.rawValue) || SecretText.holdsCredential($0.value)
      }
  }
}

// Headers as one text: NUL, which can't occur in headers, ends each name and each value.
extension Headers {
  package var storedText: String {
    var text = ""
    for field in self { text += "\(field.name.rawValue)\0\(field.value)\0" }
    return text
  }

  /// Reads a text; `nil` if it contains something else.
  package init?(storedText text: String) {
    self.init()
    var parts = text.utf8.split(separator: 0, omittingEmptySubsequences: false)
    guard parts.popLast()?.isEmpty == true, parts.count.isMultiple(of: 2) else { return nil }
    for index in stride(from: 0, to: parts.count, by: 2) {
      append(Name(rawValue: String(Substring(parts[index]))), String(Substring(parts[index + 1])))
    }
  }
}
