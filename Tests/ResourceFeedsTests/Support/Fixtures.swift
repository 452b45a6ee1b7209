import Foundation
import ResourceFeeds
import ResourceLoading

extension URL {
  /// A URL that is known to be valid.
  init(known text: StaticString) {
    guard let url = URL(string: "\(text)") else { preconditionFailure("\(text) is no URL") }
    self = url
  }
}

extension Feed {
  /// The feed in a document that a server sent.
  init(document: some Sequence<UInt8>, type: String? = nil) throws {
    var headers: Headers = [:]
    headers[.contentType] = type
    try self.init(
      Response(
        url: URL(known: "https://example.org/blog/feed"), headers: headers, body: Data(document)))
  }

  /// The feed in a document that a server sent as UTF-8.
  init(document: String) throws {
    try self.init(document: document.utf8)
  }
}

extension Date {
  /// The moment this many seconds after the beginning of 1970.
  static func unix(_ seconds: Double) -> Date { Date(timeIntervalSince1970: seconds) }
}
