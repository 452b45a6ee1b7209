public import Foundation

/// Decodes JSON text as a `JSONDecoder` does, several times as fast.
///
/// ```swift
/// let reader = JSONReader(decoder)
/// let issues = try reader.decode([Issue].self, from: data)
/// ```
///
/// The strategies and the `userInfo` of the decoder are honoured. Values are the same, and so are
/// errors: each is a `DecodingError` with the same case, type and coding path, and with its
/// ``JSONPosition`` as the underlying error. What differs is listed in <doc:ReadingJSON>. A
/// subclass of `JSONDecoder`, and one that allows JSON5 or assumes a dictionary at the top, decodes
/// itself.
///
/// A reader can be used on several threads at once. Don't change its decoder meanwhile.
public struct JSONReader: Sendable {
  /// The decoder with the settings.
  public let decoder: JSONDecoder

  /// The largest document in bytes: 4 GiB, less one byte.
  public static let maximumSize = Indexer.maximumSize

  /// Creates a reader with the settings of a decoder, which are read for each document.
  public init(_ decoder: JSONDecoder = JSONDecoder()) { self.decoder = decoder }
}

extension JSONReader {
  /// Decodes a document.
  ///
  /// - Parameters:
  ///   - type: The type of the value.
  ///   - data: JSON text in UTF-8, UTF-16 or UTF-32.
  /// - Throws: `DecodingError` for what isn't JSON, whose underlying error is then a
  ///   ``JSONSyntaxError``, and for what doesn't fit the type, whose underlying error is then a
  ///   ``JSONPosition``; and any other error that the type throws.
  public func decode<Value: Decodable>(
    _ type: Value.Type = Value.self, from data: Data
  ) throws -> Value {
    guard !isLeftToDecoder else { return try decoder.decode(type, from: data) }
    return try reading(data) { try $0.container.decode(type, $0.word) }
  }

  /// Decodes a document into a type that needs a configuration.
  ///
  /// - Parameters:
  ///   - type: The type of the value.
  ///   - data: JSON text in UTF-8, UTF-16 or UTF-32.
  ///   - configuration: The configuration of the type.
  /// - Throws: As ``decode(_:from:)``.
  public func decode<Value: DecodableWithConfiguration>(
    _ type: Value.Type = Value.self, from data: Data,
    configuration: Value.DecodingConfiguration
  ) throws -> Value {
    guard !isLeftToDecoder else {
      return try decoder.decode(type, from: data, configuration: configuration)
    }
    return try reading(data) { try type.init(from: $0, configuration: configuration) }
  }

  /// Whether the decoder has settings or methods that only itself knows.
  var isLeftToDecoder: Bool {
    type(of: decoder) != JSONDecoder.self || decoder.allowsJSON5
      || decoder.assumesTopLevelDictionary
  }
}

extension JSONReader {
  /// Parses a document, and decodes its root with the closure.
  private func reading<Value>(
    _ data: Data, _ body: (JSONValueDecoder) throws -> Value
  ) throws -> Value {
    let encoding = JSONEncoding(of: data)
    guard let utf8 = encoding.utf8(of: data) else {
      throw JSONScanError.invalidEncoding.error
    }
    // The text is used in this call only. A document that somebody keeps gets a copy of it at the
    // end.
    return try unsafe utf8.withUnsafeBytes { bytes in
      guard let text = unsafe JSONText(bytes) else {
        throw JSONScanError.empty.error
      }
      let origin = TextOrigin(encoding)
      let words: [UInt64]
      do throws(JSONScanError) {
        words = try Indexer.index(text)
      } catch {
        throw error.error(in: text, from: origin)
      }
      var document = JSONDocument(text, words, JSONSettings(decoder), origin)
      // A type may have kept its decoder.
      defer { if !isKnownUniquelyReferenced(&document) { document.keepText() } }
      do {
        return try body(JSONValueDecoder(JSONContainer(holding: document), at: JSONDocument.root))
      } catch let error as DecodingError {
        throw error.located(in: document)
      }
    }
  }
}

#if canImport(Combine)
  public import Combine

  extension JSONReader: TopLevelDecoder {}
#endif
