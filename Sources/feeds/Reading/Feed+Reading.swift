import ResourceLoading
import ResourceXML

extension Feed {
  /// Reads the feed in a response, whatever it is written in.
  ///
  /// - Throws: `LoadError` if it is no feed, `DecodingError` if it is JSON and no feed.
  init(reading response: Response) throws {
    switch try FeedDocument(response) {
    case .json(let document): self.init(document, base: response.url)
    case .xml(let tree):
      guard let feed = Feed(tree.root, response) else {
        throw LoadError(
          .parsing, "the document is XML, but its root <\(tree.root.name)> is that of no feed")
      }
      self = feed
    }
  }

  private init?(_ root: XMLTree.Element, _ response: Response) {
    switch root.name.local.lowercased() {
    case "rss", "rdf", "rdf:rdf": self.init(rss: root, base: response.url)
    case "feed": self.init(atom: root, base: response.url)
    default: return nil
    }
  }
}
