import Foundation
import ResourceFeeds
import ResourceLoading

extension URL {
  init(known text: StaticString) {
    guard let url = URL(string: "\(text)") else { preconditionFailure("\(text) is no URL") }
    self = url
  }
}

extension Feed {
  init(document: some Sequence<UInt8>, type: String? = nil) throws {
    var headers: Headers = [:]
    headers[.contentType] = type
    try self.init(
      Response(
        url: URL(known: "https://example.org/blog/feed"), headers: headers, body: Data(document)))
  }

  init(document: String) throws {
    try self.init(document: document.utf8)
  }
}

extension Date {
  static func unix(_ seconds: Double) -> Date { Date(timeIntervalSince1970: seconds) }
}
