public import Foundation

/// Decodes XML into `Decodable` values.
///
/// Elements and attributes are found by the names of coding keys, elements first. Repeated elements
/// become arrays, and so does an attribute whose items are separated by white space (`xs:list`). A
/// missing value is `nil`, or an empty array. A key without a colon matches the plain name, or else
/// the local name with any prefix. `media:title` matches the name as written, or by namespace if
/// ``namespaces`` has the prefix. `{uri}title` always matches by namespace.
///
/// A decoder is a value and can be used on many threads at once. Values can be nested 200 deep.
public struct XMLDecoder: Sendable {
  /// The strategy for keys. By default names are used unchanged.
  public var keyDecodingStrategy = KeyDecodingStrategy.useDefaultKeys

  /// The strategy for dates. XML Schema's forms by default.
  public var dateDecodingStrategy = DateDecodingStrategy.xmlSchema

  /// The strategy for bytes. Base64 by default.
  public var dataDecodingStrategy = DataDecodingStrategy.base64

  /// The strategy for white space in strings. Numbers, dates and the like always ignore it.
  public var whitespaceStrategy = WhitespaceStrategy.trimmed

  /// The strategy for items of an array of choices that match no case. By default decoding fails.
  public var unknownChoiceStrategy = UnknownChoiceStrategy.fail

  /// The strategy for several elements where one is expected. The first is decoded by default.
  public var repeatedElementStrategy = RepeatedElementStrategy.first

  /// Namespaces by the prefixes that keys use for them, whatever prefixes a document has.
  public var namespaces: [String: String] = [:]

  /// The limits, and whether names have namespaces.
  public var options = XMLOptions()

  /// The `userInfo` of the decoders that are passed to types.
  public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

  /// Creates a decoder with the default described at each property.
  public init() {}

  /// Decodes a document.
  ///
  /// - Parameters:
  ///   - type: The type to decode.
  ///   - data: The document.
  ///   - path: The names from the root to the element that holds the value, separated by dots, such
  ///     as `"rss.channel"`. For an array, the path may end with the name of repeated elements,
  ///     such as `"rss.channel.item"`. `nil` means the root.
  ///   - encoding: The charset that came with the document, from the `Content-Type` header.
  /// - Returns: The value.
  /// - Throws: `DecodingError`: `dataCorrupted` if the document isn't well-formed, otherwise the
  ///   case for a missing or mismatched value. Its context's `underlyingError` is an ``XMLError``
  ///   with line and column. Errors that types throw are passed on.
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
  /// - Throws: `DecodingError` for a missing or mismatched value, with an ``XMLError`` as
  ///   `underlyingError`; errors that types throw.
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
