public import Foundation
import ResourceJSON
import ResourcePrimitives

extension Request {
  /// The body of a request, with its media type.
  ///
  /// Creating one never fails and reads nothing: JSON is encoded and files are opened when the
  /// request is prepared. A body can be sent again for each redirect and retry.
  public struct Body: Sendable, Hashable {
    fileprivate(set) var content: Content

    /// The media type, sent as `Content-Type` unless the request's own headers have one. It takes
    /// precedence over the defaults of a ``Client``. `nil` for the client's default, or else
    /// `application/octet-stream`.
    public var mediaType: MediaType?

    enum Content: Sendable, Hashable {
      case data(Data)
      case json(JSONContent)
      case form(QueryItems)
      case multipart(Multipart)
      case file(URL)
      case stream(StreamContent)
      indirect case pieces(WireBody)
    }
  }
}

extension Request.Body {
  /// A form with defaults for names that it doesn't have; `nil` if this isn't a form.
  func completed(by defaults: QueryItems) -> Self? {
    guard case .form(var items) = content else { return nil }
    items.items += defaults.items(besides: items.items.map(\.name))
    var completed = self
    completed.content = .form(items)
    return completed
  }

  /// This body, whose JSON is encoded by another encoder if it has none of its own. A log shows the
  /// body as it will be sent.
  func encoded(by encoder: JSONEncoder) -> Self {
    var encoded = self
    switch content {
    case .json(let json) where json.encoder == nil:
      encoded.content = .json(JSONContent(value: json.value, encoder: encoder))
    case .multipart(var multipart):
      for index in multipart.parts.indices {
        multipart.parts[index].body = multipart.parts[index].body.encoded(by: encoder)
      }
      encoded.content = .multipart(multipart)
    default: break
    }
    return encoded
  }

  /// The number of bytes in memory, if that is known without encoding anything.
  package var sizeInMemory: Int? {
    switch content {
    case .data(let data): data.count
    case .pieces(let body): body.length
    case .multipart(let multipart):
      multipart.parts.reduce(0) { $0 + ($1.body.sizeInMemory ?? 0) }
    default: nil
    }
  }

  /// Whether all bytes are in memory, or are made of values in memory. Others may change.
  package var isInMemory: Bool {
    switch content {
    case .data, .json, .form: true
    case .multipart(let multipart): multipart.parts.allSatisfy(\.body.isInMemory)
    case .pieces(let body): !body.hasFiles
    case .file, .stream: false
    }
  }

  /// The `Content-Type` if there is no other.
  package var contentType: MediaType { mediaType ?? .data }

  /// Creates a body of bytes.
  ///
  /// - Parameters:
  ///   - data: The bytes.
  ///   - mediaType: Their media type; `nil` for the client's default `Content-Type`.
  public static func data(_ data: Data, as mediaType: MediaType? = nil) -> Self {
    Self(content: .data(data), mediaType: mediaType)
  }

  /// Creates a body of text, encoded as UTF-8.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - mediaType: Its media type.
  public static func text(_ text: String, as mediaType: MediaType = .text) -> Self {
    .data(Data(text.utf8), as: mediaType)
  }

  /// Creates a body of JSON, `application/json`.
  ///
  /// - Parameters:
  ///   - value: The value to encode, each time the request is prepared. If that fails, the load
  ///     fails with a ``LoadError`` of kind ``LoadError/Kind/invalidRequest`` that has the coding
  ///     path.
  ///   - encoder: The encoder; `nil` for the loader's, which for a `URLSession` is a plain
  ///     `JSONEncoder`. It is used on several threads at once: don't change it afterwards.
  public static func json(
    _ value: some Encodable & Sendable, encoder: JSONEncoder? = nil
  ) -> Self {
    Self(content: .json(JSONContent(value: value, encoder: encoder)), mediaType: .json)
  }

  /// Creates a body of JSON from a literal, whose values may have several types: `.json(["text":
  /// text, "stars": 5])`. The encoder determines the order of the members. `nil` is sent as `null`.
  ///
  /// - Parameters:
  ///   - parameters: The members of the object.
  ///   - encoder: The encoder; `nil` for the loader's.
  public static func json(_ parameters: Parameters, encoder: JSONEncoder? = nil) -> Self {
    Self(content: .json(JSONContent(value: parameters, encoder: encoder)), mediaType: .json)
  }

  /// Creates a body of named values, `application/x-www-form-urlencoded`, as the WHATWG's URL
  /// standard writes it.
  ///
  /// - Parameters:
  ///   - parameters: The values.
  ///   - style: How nested values, arrays, dates and the like are written.
  public static func form(_ parameters: Parameters, style: Parameters.Style = .init()) -> Self {
    Self(content: .form(QueryItems(parameters, style: style)), mediaType: .form)
  }

  /// Creates a body of parts, `multipart/form-data`.
  ///
  /// - Parameter multipart: The parts. Files among them are opened when the request is prepared.
  public static func multipart(_ multipart: Multipart) -> Self {
    Self(content: .multipart(multipart), mediaType: multipart.mediaType)
  }

  /// Creates a body of a file's bytes.
  ///
  /// - Parameters:
  ///   - file: The URL of a regular file. It is opened when the request is prepared; if it can't be
  ///     read, the load fails with a ``LoadError`` of kind ``LoadError/Kind/invalidRequest``.
  ///   - mediaType: Its media type; `nil` for the client's default `Content-Type`.
  public static func file(_ file: URL, as mediaType: MediaType? = nil) -> Self {
    Self(content: .file(file), mediaType: mediaType)
  }

  /// Creates a body of bytes from a stream.
  ///
  /// They are written to a temporary file before each attempt, so that the request has their exact
  /// length and can be repeated by a redirect without keeping them in memory.
  ///
  /// - Parameters:
  ///   - mediaType: Their media type; `nil` for the client's default `Content-Type`.
  ///   - make: Called once for each attempt to begin the stream. If it or the stream throws, the
  ///     load fails with a ``LoadError`` of kind ``LoadError/Kind/invalidRequest``.
  public static func stream<Bytes: AsyncSequence & Sendable>(
    as mediaType: MediaType? = nil, _ make: @escaping @Sendable () throws -> Bytes
  ) -> Self where Bytes.Element == Data {
    Self(content: .stream(StreamContent(make)), mediaType: mediaType)
  }
}

/// A value that is encoded as JSON when it is sent.
struct JSONContent: Sendable {
  let value: any Encodable & Sendable
  /// `nil` leaves it to the loader.
  let encoder: JSONEncoder?

  func data(encoder loaderEncoder: JSONEncoder) throws -> Data {
    do {
      return try JSONWriter(encoder ?? loaderEncoder).encode(value)
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

  /// The JSON in a stable order, or the description of the error if the value can't be encoded.
  private var fingerprint: Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    do { return try JSONWriter(encoder).encode(value) } catch { return Data("\(error)".utf8) }
  }
}

extension LoadError {
  /// Creates the error for a value that can't be encoded. The underlying error isn't kept if it
  /// contains the value, which may be a secret.
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
