public import Foundation

/// A document that has been read whole: elements, attributes and text, for reading.
///
/// Shares the document's bytes and takes once to twice their size in memory besides. It is immutable,
/// so that it can be read on many threads at once. Comments and processing instructions aren't kept;
/// ``XMLEventParser`` tells them.
///
/// ```swift
/// let tree = try XMLTree(parsing: data)
/// for item in tree.root["channel"]?.elements("item") ?? [] {
///   print(item["title"]?.text ?? "")
/// }
/// ```
public struct XMLTree: Sendable {
  let storage: TreeStorage

  /// Reads a document, without copying it if it is in UTF-8.
  ///
  /// - Parameters:
  ///   - data: The document, whole.
  ///   - encoding: The charset that came with it, from the `Content-Type` header. A byte order mark is
  ///     stronger, the XML declaration weaker (RFC 7303, section 3).
  ///   - options: Limits, and whether names have namespaces.
  /// - Throws: ``XMLError`` when the document isn't well-formed or passes a limit.
  public init(
    parsing data: Data, encoding: String? = nil, options: XMLOptions = XMLOptions()
  ) throws(XMLError) {
    storage = try TreeStorage(parsing: .data(data), encoding: encoding, options: options)
  }

  /// Reads a document, without copying it if it is in UTF-8.
  ///
  /// - Parameters:
  ///   - bytes: The document, whole.
  ///   - encoding: The charset that came with it.
  ///   - options: Limits, and whether names have namespaces.
  /// - Throws: ``XMLError`` when the document isn't well-formed or passes a limit.
  public init(
    parsing bytes: [UInt8], encoding: String? = nil, options: XMLOptions = XMLOptions()
  ) throws(XMLError) {
    storage = try TreeStorage(parsing: .bytes(bytes), encoding: encoding, options: options)
  }

  /// The root element.
  public var root: Element { Element(storage: storage, index: 0) }
}
