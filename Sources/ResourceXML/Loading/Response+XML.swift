internal import Foundation
internal import ResourceLoading

extension Response {
  /// Whether the body is XML: by its media type (RFC 7303), or by its first character when the media type
  /// is neither XML nor JSON.
  var isXML: Bool {
    let essence = mediaType?.essence ?? ""
    if essence.hasSuffix("/xml") || essence.hasSuffix("+xml") { return true }
    if essence.hasSuffix("/json") || essence.hasSuffix("+json") { return false }
    return body.drop { $0 == 0xEF || $0 == 0xBB || $0 == 0xBF || $0.isXMLSpace }.first == .lessThan
      || body.starts(with: [0xFE, 0xFF]) || body.starts(with: [0xFF, 0xFE])
  }

  /// Decodes the body.
  ///
  /// - Throws: `LoadError` of kind `parsing` for whatever is wrong with it; errors of the types' own.
  func decodeXML<T: Decodable>(
    _ type: T.Type, at path: String?, by decoder: XMLDecoder
  ) throws -> T {
    if isBodiless || body.isEmpty, let none = T.self as? any ExpressibleByNilLiteral.Type,
      let value = none.init(nilLiteral: ()) as? T
    {
      return value
    }
    do {
      let tree = try xmlTree(options: decoder.options)
      return try decoder.decode(type, from: tree, at: path)
    } catch let error as DecodingError {
      throw LoadError(xml: error)
    } catch let error as LoadError {
      throw error.wanting(type)
    }
  }

  /// The body as a tree.
  ///
  /// - Throws: `LoadError` of kind `parsing`.
  func xmlTree(options: XMLOptions) throws(LoadError) -> XMLTree {
    guard !body.isEmpty, !isBodiless else {
      throw LoadError(.parsing, "the body is empty, so there is no XML in it")
    }
    do {
      return try XMLTree(parsing: body, encoding: mediaType?.parameter("charset"), options: options)
    } catch {
      throw LoadError(xml: error, isHTML: mediaType?.essence == "text/html")
    }
  }
}
