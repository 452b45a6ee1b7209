public import Foundation

/// Makes `Decodable` values of XML.
///
/// Elements and attributes are found by the names of coding keys, elements first. Elements that repeat
/// make arrays, and so do the items of an attribute with white space between them (`xs:list`). What is missing is `nil`, or an empty array. A key without a colon matches the plain
/// name, or else the local name behind any prefix; `media:title` matches the name as written, or by
/// namespace when ``namespaces`` knows the prefix; `{uri}title` by namespace always.
///
/// A decoder is a value, and may be used on many threads at once. Values nest 200 deep at most.
public struct XMLDecoder: Sendable {
  /// How names become keys. As they are by default.
  public var keyDecodingStrategy = KeyDecodingStrategy.useDefaultKeys

  /// How `Date` is read. XML Schema's forms by default.
  public var dateDecodingStrategy = DateDecodingStrategy.xmlSchema

  /// How `Data` is read. Base64 by default.
  public var dataDecodingStrategy = DataDecodingStrategy.base64

  /// What happens to white space around and in strings. Numbers, dates and the like never mind it.
  public var whitespaceStrategy = WhitespaceStrategy.trimmed

  /// What happens to an item of an array of choices that no case is for. It is an error by default.
  public var unknownChoiceStrategy = UnknownChoiceStrategy.fail

  /// What happens when there are several elements where one is expected. The first counts by default.
  public var repeatedElementStrategy = RepeatedElementStrategy.first

  /// Namespaces by the prefix that keys use for them, whatever prefix a document has.
  public var namespaces: [String: String] = [:]

  /// Limits, and whether names have namespaces.
  public var options = XMLOptions()

  /// Handed to the types that are decoded.
  public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

  /// A decoder with the defaults described at each property.
  public init() {}

  /// Decodes a document.
  ///
  /// - Parameters:
  ///   - type: What to make.
  ///   - data: The document.
  ///   - path: The names from the root to the element that holds the value, with dots between:
  ///     `"rss.channel"`. An array may be of the elements that repeat at its end: `"rss.channel.item"`.
  ///     `nil` is the root.
  ///   - encoding: The charset that came with the document, from the `Content-Type` header.
  /// - Returns: The value.
  /// - Throws: `DecodingError`: `dataCorrupted` when the document isn't well-formed, otherwise what the
  ///   value lacks. Its context's `underlyingError` is an ``XMLError`` with line and column. Errors of
  ///   the types' own come as they are.
  public func decode<T: Decodable>(
    _ type: T.Type, from data: Data, at path: String? = nil, encoding: String? = nil
  ) throws -> T {
    try decode(type, from: tree(data, encoding: encoding), at: path)
  }

  /// Decodes from a tree that has been read before.
  ///
  /// - Parameters:
  ///   - type: What to make.
  ///   - tree: The document.
  ///   - path: As in ``decode(_:from:at:encoding:)-(_,Data,_,_)``.
  /// - Returns: The value.
  /// - Throws: `DecodingError` for what the value lacks, with an ``XMLError`` as `underlyingError`; errors
  ///   of the types' own.
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
