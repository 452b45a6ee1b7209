public import Foundation
import ResourcePrimitives

/// A body of named parts (RFC 7578): the fields of a form, and files.
///
/// ```swift
/// let upload: Multipart = [
///   .field("title", "Sunrise"), .file("photo", photo, as: "image/jpeg"),
///   .json("meta", ["rating": 5]),
/// ]
/// ```
///
/// Files aren't opened before the request is prepared. The length of the whole is then known
/// exactly.
public struct Multipart: Sendable, Hashable {
  /// The parts, in the order in which they are sent.
  public var parts: [Part]

  /// The boundary between the parts. It is chosen once, so that copies of a request send the same
  /// bytes.
  public let boundary: String

  /// Whether the boundary has 128 random bits, so that no part has it.
  let hasRandomBoundary: Bool

  /// Creates a body from parts.
  ///
  /// - Parameters:
  ///   - parts: The parts, in the order in which they are sent.
  ///   - boundary: 1 to 70 of the characters that RFC 2046 section 5.1.1 allows; `nil` for one of
  ///     128 random bits. Other characters, and a boundary that occurs in a part that is in memory,
  ///     make loading the request fail. Files aren't searched for it: leave it out if anybody else
  ///     chooses their content.
  public init(_ parts: [Part], boundary: String? = nil) {
    self.parts = parts
    self.boundary = boundary ?? Self.randomBoundary()
    hasRandomBoundary = boundary == nil
  }

  private static func randomBoundary() -> String {
    let words = (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }
    return "boundary-" + words.joined(separator: "-")
  }

  /// `multipart/form-data` with the boundary.
  public var mediaType: MediaType {
    let parameter = boundary.isToken ? boundary : "\"\(boundary)\""
    return MediaType(rawValue: "multipart/form-data; boundary=\(parameter)")
  }
}

extension Multipart {
  /// Returns whether two bodies send the same bytes: the same parts and the same boundary.
  public static func == (one: Self, other: Self) -> Bool {
    one.boundary == other.boundary && one.parts == other.parts
  }

  /// Hashes the parts and the boundary.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(boundary)
    hasher.combine(parts)
  }
}

extension Multipart: ExpressibleByArrayLiteral {
  /// Creates a body from parts in the order of the literal, with a random boundary.
  public init(arrayLiteral elements: Part...) { self.init(elements) }
}

extension Multipart {
  /// One part of a multipart body.
  public struct Part: Sendable, Hashable {
    /// The name of the form's field.
    public var name: String
    /// The name of the file; `nil` for a plain field.
    public var filename: String?
    /// Further headers of the part; a `Content-Type` here takes precedence over the body's, and a
    /// `Content-Disposition` is left out.
    public var headers: Headers = [:]
    /// The content.
    public var body: Request.Body
    /// Whether the part has a `Content-Type`; text fields have none, as in browsers.
    fileprivate(set) var isTyped = true

    /// Creates a part from any body but a stream, another multipart one included.
    ///
    /// - Parameters:
    ///   - name: The name of the form's field, any text.
    ///   - body: The content, with its media type.
    ///   - filename: The name of the file, any text; `nil` for a plain field.
    public init(_ name: String, _ body: Request.Body, filename: String? = nil) {
      self.name = name
      self.body = body
      self.filename = filename
    }

    /// Returns whether two parts are equal, their names byte by byte.
    public static func == (one: Self, other: Self) -> Bool {
      one.name.hasSameBytes(as: other.name) && one.filename.hasSameBytes(as: other.filename)
        && one.headers == other.headers && one.body == other.body && one.isTyped == other.isTyped
    }
  }
}

extension Multipart.Part {
  /// A text field, UTF-8 without a `Content-Type`, as browsers send it.
  ///
  /// - Parameters:
  ///   - name: The name of the form's field, any text.
  ///   - value: The text.
  public static func field(_ name: String, _ value: String) -> Self {
    var part = Self(name, .text(value))
    part.isTyped = false
    return part
  }

  /// A part of bytes.
  ///
  /// - Parameters:
  ///   - name: The name of the form's field, any text.
  ///   - data: The bytes.
  ///   - filename: The name of the file, any text; `nil` for a plain field.
  ///   - mediaType: Their media type.
  public static func data(
    _ name: String, _ data: Data, filename: String? = nil, as mediaType: MediaType = .data
  ) -> Self {
    Self(name, .data(data, as: mediaType), filename: filename)
  }

  /// A part of a file, which is streamed.
  ///
  /// - Parameters:
  ///   - name: The name of the form's field, any text.
  ///   - file: The URL of a regular file. It is opened when the request is prepared; if it can't be
  ///     read, the load fails with a ``LoadError`` of kind ``LoadError/Kind/invalidRequest``.
  ///   - filename: The name to send, any text; `nil` for the file's own, without its folders.
  ///   - mediaType: Its media type.
  public static func file(
    _ name: String, _ file: URL, filename: String? = nil, as mediaType: MediaType = .data
  ) -> Self {
    Self(name, .file(file, as: mediaType), filename: filename ?? file.lastPathComponent)
  }

  /// A part of JSON.
  ///
  /// - Parameters:
  ///   - name: The name of the form's field, any text.
  ///   - value: The value to encode when the request is prepared.
  ///   - encoder: The encoder; `nil` for the loader's.
  public static func json(
    _ name: String, _ value: some Encodable & Sendable, encoder: JSONEncoder? = nil
  ) -> Self {
    Self(name, .json(value, encoder: encoder))
  }
}

extension Multipart.Part {
  /// The headers of the part and the empty line after them.
  func head() throws -> String {
    var fields = Headers()
    let names = [("name", name)] + (filename.map { [("filename", $0)] } ?? [])
    let parameters = names.map { "; \($0.0)=\"\(Self.escaped($0.1))\"" }.joined()
    fields.append(.contentDisposition, "form-data" + parameters)
    if isTyped || headers[.contentType] != nil {
      fields.append(.contentType, headers[.contentType] ?? body.contentType.rawValue)
    }
    for field in headers where ![.contentDisposition, .contentType].contains(field.name) {
      fields.append(field.name, field.value)
    }
    for field in fields where !field.name.rawValue.isToken || !field.value.isFieldValue {
      throw LoadError(
        .invalidRequest,
        "the header \(field.name.rawValue.printable) of the part \(name.printable) can't be sent",
        advice: "Use a token for its name, and leave line breaks out of its value")
    }
    return fields.map { "\($0.name): \($0.value)\r\n" }.joined() + "\r\n"
  }

  /// A name in the encoding of the WHATWG's HTML standard.
  private static func escaped(_ name: String) -> String {
    name.unicodeScalars.reduce(into: "") { text, scalar in
      switch scalar {
      // A tab may occur in a quoted string, and readers don't unescape it.
      case "\t": text += "\t"
      case "\u{0}"..."\u{1F}", "\u{7F}", "\"":
        text += String(decoding: PercentEncoding.escape(UInt8(scalar.value)), as: UTF8.self)
      default: text.unicodeScalars.append(scalar)
      }
    }
  }
}
