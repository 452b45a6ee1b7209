import Foundation
import ResourceLoading

extension Resource where R == Feed {
  /// The feed at a URL.
  ///
  /// What it is written in is told by the document itself: servers send feeds under all sorts of media
  /// types.
  ///
  /// - Parameters:
  ///   - url: Where the document is.
  ///   - timeout: How long the load may take.
  static func feed(_ url: URL, timeout: Duration) -> Self {
    var request = Request(url: url)
    request.headers[.accept] =
      "application/feed+json, application/atom+xml, application/rss+xml, */*;q=0.5"
    request.options.timeout = timeout
    return Resource(request) { response in try Feed(reading: response) }
  }
}

extension Feed {
  /// Reads the feed in a response.
  ///
  /// - Throws: `LoadError` if it is no feed, `DecodingError` if it is JSON and no feed.
  init(reading response: Response) throws {
    guard !response.body.isEmpty else {
      throw LoadError(.parsing, "the body is empty, so there is no feed in it")
    }
    let document = try JSONDecoder().decode(JSONFeed.self, from: response.body)
    self.init(document, base: response.url)
  }
}
