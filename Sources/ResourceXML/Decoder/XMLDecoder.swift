public import Foundation

/// Decodes XML into `Decodable` values.
///
/// Elements and attributes are found by the names of coding keys, elements first. Repeated elements
/// become arrays, and so does an attribute whose items are separated by white space (`xs:list`). A
/// missing value is `nil`, or an empty array. A key without a colon matches the plain name, or else
/// the local name behind any prefix; `media:title` matches the name as written, or by namespace if
/// ``namespaces`` has the prefix; `{uri}title` always matches by namespace.
///
/// A decoder is a value and may be used on many threads at once. Values may nest 200 deep.
public struct XMLDecoder: Sendable {
  /// The strategy for keys. By default they are the names, unchanged.
  public var keyDecodingStrategy = KeyDecodingStrategy.useDefaultKeys

  /// The strategy for dates. XML Schema's forms by default.
  public var dateDecodingStrategy = DateDecodingStrategy.xmlSchema

  /// The strategy for bytes. Base64 by default.
  public var dataDecodingStrategy = DataDecodingStrategy.base64

  /// The strategy for white space in strings. Numbers, dates and the like always ignore it.
  public var whitespaceStrategy = WhitespaceStrategy.trimmed

  /// The strategy for items of an array of choices that have no case. An error by default.
  public var unknownChoiceStrategy = UnknownChoiceStrategy.fail

  /// The strategy for several elements where one is expected. The first is decoded by default.
  public var repeatedElementStrategy = RepeatedElementStrategy.first

  /// Namespaces by the prefixes that keys use for them, whatever prefixes a document has.
  public var namespaces: [String: String] = [:]

  /// Limits, and whether names have namespaces.
  public var options = XMLOptions()

  /// The `userInfo` of the decoders that types get.
  public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

  /// A decoder with the defaults described at each property.
  public init() {}

  /// Decodes a document.
  ///
  /// - Parameters:
  ///   - type: The type to decode.
  ///   - data: The document.
  ///   - path: The names from the root to the element that holds the value, with dots between:
  ///     `"rss.channel"`. An array may be of the elements that repeat at its end:
  ///     `"rss.channel.item"`. `nil` is the root.
  ///   - encoding: The charset that came with the document, from the `Content-Type` header.
  /// - Returns: The value.
  /// - Throws: `DecodingError`: `dataCorrupted` if the document isn't well-formed, otherwise the
  ///   case for what is missing or doesn't fit. Its context's `underlyingError` is an ``XMLError``
  ///   with line and column. Errors that types throw themselves are passed on.
  public func decode<T: Decodable>(
    _ type: T.Type, from data: Data, at path: String? = nil, encoding: String? = nil
  ) throws -> T {
    try decode(type, from: tree(data, encoding: encoding), at: path)
  }

  /// Decodes a value from a tree.
  ///
  /// - Parameters:
  ///   - type: The type to decode.
  ///   - tree: The document.
  ///   - path: As in ``decode(_:from:at:encoding:)-(_,Data,_,_)``.
  /// - Returns: The value.
  /// - Throws: `DecodingError` for what is missing or doesn't fit, with an ``XMLError`` as
  ///   `underlyingError`; errors that types throw themselves.
  public func decode<T: Decodable>(
    _ type: T.Type, from tree: XMLTree, at path: String? = nil
  ) throws -> T {
    let session = DecodingSession(tree.storage, decoder: self)
    var start = session.root
    do {
      start = try session.level(at: path)
      return try session.decode(type, at: start)
    } catch let error as DecodingError {
      throw session.located(error, from: start)
    }
  }

  private func tree(_ data: Data, encoding: String?) throws -> XMLTree {
    do {
      return try XMLTree(parsing: data, encoding: encoding, options: options)
    } catch {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: [], debugDescription: error.description, underlyingError: error))
    }
  }
}
