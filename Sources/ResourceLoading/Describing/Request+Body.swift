public import Foundation

extension Request {
  /// What is sent as the body, and what it is.
  public struct Body: Sendable, Hashable {
    /// The bytes.
    public var data: Data

    /// The media type, sent as `Content-Type` unless the request's headers name one.
    public var mediaType: MediaType

    /// Makes a body of bytes.
    ///
    /// - Parameters:
    ///   - data: The bytes; they can be sent again as often as a redirect asks for it.
    ///   - mediaType: What they are.
    public static func data(_ data: Data, as mediaType: MediaType = .data) -> Body {
      Body(data: data, mediaType: mediaType)
    }

    /// Makes a body of text, encoded as UTF-8.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - mediaType: What it is.
    public static func text(_ text: String, as mediaType: MediaType = .text) -> Body {
      Body(data: Data(text.utf8), mediaType: mediaType)
    }

    /// Makes a body of JSON.
    ///
    /// - Parameters:
    ///   - value: What to encode; it is encoded at once.
    ///   - encoder: How to encode it.
    /// - Returns: The body, `application/json`.
    /// - Throws: What the encoder throws, an `EncodingError` as a rule.
    public static func json(
      _ value: some Encodable, encoder: JSONEncoder = JSONEncoder()
    ) throws -> Body {
      Body(data: try encoder.encode(value), mediaType: .json)
    }
  }
}
