public import Foundation

extension Request {
  /// What is sent as the body, and what it is.
  ///
  /// Making one never fails and reads nothing: JSON is encoded and files are opened when the request is made
  /// ready to be sent. A body can be sent again as often as a redirect or a retry asks for it.
  public struct Body: Sendable, Hashable {
    let content: Content

    /// What the body is, sent as `Content-Type` unless the request's own headers name another type. It goes before
    /// the defaults of a ``Client``. `nil` leaves it to those, and without any to `application/octet-stream`.
    public var mediaType: MediaType?

    enum Content: Sendable, Hashable {
      case data(Data)
      case json(JSONContent)
      case form(FormContent)
      case multipart(Multipart)
      case file(URL)
      case stream(StreamContent)
    }
  }
}

extension Request.Body {
  /// What is sent as `Content-Type` where nobody else has said it.
  var contentType: MediaType { mediaType ?? .data }

  /// Makes a body of bytes.
  ///
  /// - Parameters:
  ///   - data: The bytes.
  ///   - mediaType: What they are; `nil` leaves it to the client's default `Content-Type`.
  public static func data(_ data: Data, as mediaType: MediaType? = nil) -> Self {
    Self(content: .data(data), mediaType: mediaType)
  }

  /// Makes a body of text, encoded as UTF-8.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - mediaType: What it is.
  public static func text(_ text: String, as mediaType: MediaType = .text) -> Self {
    .data(Data(text.utf8), as: mediaType)
  }

  /// Makes a body of JSON, `application/json`.
  ///
  /// - Parameters:
  ///   - value: What to encode, each time the request is made ready to be sent. If that fails, the load does,
  ///     with a ``LoadError`` of kind ``LoadError/Kind/invalidRequest`` that names the coding path.
  ///   - encoder: How to encode it; `nil` leaves it to whoever loads the request, `URLSession` takes a plain
  ///     `JSONEncoder`. It is used on several threads at once: don't change it afterwards.
  public static func json(
    _ value: some Encodable & Sendable, encoder: JSONEncoder? = nil
  ) -> Self {
    Self(content: .json(JSONContent(value: value, encoder: encoder)), mediaType: .json)
  }

  /// Makes a body of JSON from a literal, which takes values of several types:
  /// `.json(["text": text, "stars": 5])`. The encoder decides about the order of the members.
  ///
  /// - Parameters:
  ///   - parameters: The members of the object.
  ///   - encoder: How to encode it; `nil` leaves it to whoever loads the request.
  public static func json(_ parameters: Parameters, encoder: JSONEncoder? = nil) -> Self {
    Self(content: .json(JSONContent(value: parameters, encoder: encoder)), mediaType: .json)
  }

  /// Makes a body of named values, `application/x-www-form-urlencoded`, as the WHATWG's URL standard writes it.
  ///
  /// - Parameters:
  ///   - parameters: The values.
  ///   - style: How nested values, arrays, dates and the like are written.
  public static func form(_ parameters: Parameters, style: Parameters.Style = .init()) -> Self {
    Self(content: .form(FormContent(parameters, style)), mediaType: .form)
  }

  /// Makes a body of the values of any `Encodable` type, `application/x-www-form-urlencoded`.
  ///
  /// - Parameters:
  ///   - value: The value; it is encoded at once. If that fails, loading the request does.
  ///   - style: How nested values, arrays, dates and the like are written.
  public static func form(encoding value: some Encodable, style: Parameters.Style = .init()) -> Self
  {
    .form(Parameters(encoding: value), style: style)
  }

  /// Makes a body of parts, `multipart/form-data`.
  ///
  /// - Parameter multipart: The parts. Files among them are opened when the request is made ready to be sent.
  public static func multipart(_ multipart: Multipart) -> Self {
    Self(content: .multipart(multipart), mediaType: multipart.mediaType)
  }

  /// Makes a body of a file's bytes.
  ///
  /// - Parameters:
  ///   - file: The URL of a regular file. It is opened when the request is made ready to be sent; if it can't
  ///     be read then, the load fails with a ``LoadError`` of kind ``LoadError/Kind/invalidRequest``.
  ///   - mediaType: What is in it; `nil` leaves it to the client's default `Content-Type`.
  public static func file(_ file: URL, as mediaType: MediaType? = nil) -> Self {
    Self(content: .file(file), mediaType: mediaType)
  }

  /// Makes a body of bytes that come bit by bit.
  ///
  /// They are put into a temporary file before each attempt, so that the request tells their exact length and
  /// can be sent again by a redirect; memory isn't needed for them.
  ///
  /// - Parameters:
  ///   - mediaType: What they are; `nil` leaves it to the client's default `Content-Type`.
  ///   - make: Begins the stream, once for each attempt. What it or the stream throws fails the load with a
  ///     ``LoadError`` of kind ``LoadError/Kind/invalidRequest``.
  public static func stream<Bytes: AsyncSequence & Sendable>(
    as mediaType: MediaType? = nil, _ make: @escaping @Sendable () throws -> Bytes
  ) -> Self where Bytes.Element == Data {
    Self(content: .stream(StreamContent(make)), mediaType: mediaType)
  }
}

/// Named values as `application/x-www-form-urlencoded` has them.
struct FormContent: Sendable, Hashable {
  /// The encoded text.
  let text: String
  /// Why it can't be sent.
  private let flaw: String?

  init(_ parameters: Parameters, _ style: Parameters.Style) {
    do {
      let encode = PercentEncoding.form.encode
      text = try parameters.entries(in: style)
        .map { "\(encode($0.name))=\(encode($0.values.joined(separator: ",")))" }
        .joined(separator: "&")
      flaw = nil
    } catch {
      text = ""
      flaw = LoadError(sending: error).reason
    }
  }

  /// - Throws: `LoadError` of kind `invalidRequest` if a value couldn't be encoded.
  func data() throws -> Data {
    if let flaw { throw LoadError(.invalidRequest, flaw) }
    return Data(text.utf8)
  }
}

/// A value that becomes JSON when it is sent.
struct JSONContent: Sendable {
  let value: any Encodable & Sendable
  /// `nil` leaves it to the loader.
  let encoder: JSONEncoder?

  /// - Parameter loaderEncoder: The encoder of whoever loads it.
  /// - Throws: `LoadError` of kind `invalidRequest` with the coding path.
  func data(encoder loaderEncoder: JSONEncoder) throws -> Data {
    do {
      return try (encoder ?? loaderEncoder).encode(value)
    } catch {
      throw LoadError(encoding: error)
    }
  }
}

extension JSONContent: Hashable {
  static func == (one: Self, other: Self) -> Bool {
    one.encoder === other.encoder && one.fingerprint == other.fingerprint
  }

  func hash(into hasher: inout Hasher) { hasher.combine(fingerprint) }

  /// The JSON in a stable order; for what can't be encoded the description of the error.
  private var fingerprint: Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    do { return try encoder.encode(value) } catch { return Data("\(error)".utf8) }
  }
}

extension LoadError {
  /// What an encoder threw for a value that was to be sent. The error itself isn't kept where it holds the
  /// value, which may be a secret.
  init(encoding error: any Error) {
    guard case EncodingError.invalidValue(_, let context) = error else {
      self.init(
        .invalidRequest, "the value to send threw \(error) when it was encoded", underlying: error)
      return
    }
    let path = context.codingPath.dotted
    self.init(
      .invalidRequest,
      "the value at \(path.isEmpty ? "the root" : path) can't be encoded: \(context.debugDescription)",
      advice: "Change the value, or give the body an encoder that can encode it")
  }
}
