import Foundation

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// Counts what FoundationXML's parser tells, the least that a user of it does.
final class Listener: NSObject, XMLParserDelegate {
  private(set) var count = 0

  func parser(
    _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?,
    qualifiedName: String?, attributes: [String: String]
  ) {
    count += 1
  }

  func parser(
    _ parser: XMLParser, didEndElement elementName: String, namespaceURI: String?,
    qualifiedName: String?
  ) {
    count += 1
  }

  func parser(_ parser: XMLParser, foundCharacters string: String) {
    count += 1
  }

  /// The events of a document.
  ///
  /// It comes through a stream: given whole, the parser refuses more than 10 MB.
  static func events(of data: Data) -> Int {
    let parser = XMLParser(stream: InputStream(data: data))
    let listener = Listener()
    parser.delegate = listener
    precondition(parser.parse(), "the document is refused")
    return listener.count
  }
}
