public import Foundation
import ResourceJSON
package import ResourceLoading
import ResourceStore

/// A value that the server will give, such as an id, in requests that are added before it is known.
///
/// The entry whose answer has the value declares the placeholder in ``OutboxWrite/placeholders``.
/// Later entries contain it in their path, query, headers or body, and wait for that answer.
///
/// ```swift
/// let issue = OutboxPlaceholder(draft.id)
/// try await outbox.add(.post("/issues").json(draft), as: .issue(draft.id)) {
///   $0.placeholders[issue] = .json("/number")
/// }
/// try await outbox.add(.post("/issues/\(issue)/comments").json(comment), as: .comment(comment.id))
/// ```
///
/// In a JSON body a placeholder that is a whole string is replaced by the value as it was in the
/// answer, so that a number stays a number. In other text, such as that of a multipart body, it is
/// inserted unchanged.
public struct OutboxPlaceholder: Hashable, Sendable {
  /// The identity of the placeholder.
  public let id: UUID

  /// Creates a placeholder.
  ///
  /// - Parameter id: Its identity, such as the id that a draft has on this device.
  public init(_ id: UUID = UUID()) { self.id = id }
}

extension OutboxPlaceholder: CustomStringConvertible {
  /// The text in requests until the value is known. No percent-encoding changes it.
  public var description: String { Self.prefix + id.uuidString }

  static let prefix = "outbox-placeholder-"
}

extension OutboxPlaceholder: Codable {
  /// Reads the text that ``encode(to:)`` writes.
  ///
  /// - Throws: `DecodingError` for another text.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard text.hasPrefix(Self.prefix), let id = UUID(uuidString: String(text.dropFirst(19))) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "the text is no placeholder of an outbox")
    }
    self.init(id)
  }

  /// Writes the placeholder as a text.
  ///
  /// - Throws: What the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

extension OutboxPlaceholder {
  /// Returns the placeholders in some bytes. A text without any costs one search for the prefix.
  static func all(in bytes: Data) -> Set<OutboxPlaceholder> {
    var found: Set<OutboxPlaceholder> = []
    var rest = bytes
    while let offset = rest.firstOffset(of: Data(prefix.utf8)) {
      rest = rest.dropFirst(offset + prefix.utf8.count)
      if let id = UUID(uuidString: String(decoding: rest.prefix(36), as: UTF8.self)) {
        found.insert(OutboxPlaceholder(id))
      }
    }
    return found
  }
}

/// Where the value of an ``OutboxPlaceholder`` is in an answer.
public struct OutboxValueSource: Hashable, Sendable {
  /// The stored form: a JSON pointer, or `location`.
  let text: String

  /// A value of the JSON body.
  ///
  /// - Parameter pointer: A JSON pointer (RFC 6901), such as `/id` or `/data/0/id`.
  public static func json(_ pointer: String) -> Self { Self(text: pointer) }

  /// The last segment of the path in the header `Location`.
  public static let location = Self(text: "location")
}

extension OutboxValueSource {
  /// Reads the value as JSON; `nil` if the answer doesn't have one.
  package func value(in response: Response) -> Data? {
    guard self != .location else {
      guard let location = response.headers[.location], let url = URL(string: location),
        !url.lastPathComponent.isEmpty, url.lastPathComponent != "/"
      else { return nil }
      return try? JSONWriter().encode(url.lastPathComponent)
    }
    guard let root = try? JSONValue(parsing: response.body) else { return nil }
    let names = text.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    let found = names.reduce(Optional(root)) { value, name -> JSONValue? in
      let name = String(name).replacing("~1", with: "/").replacing("~0", with: "~")
      if let member = value?[name] { return member }
      // An index has no sign and no zero before it (RFC 6901 section 4).
      return Int(name).flatMap { "\($0)" == name ? value?[$0] : nil }
    }
    switch found {
    // In a path it would name something else.
    case .string(""): return nil
    case .string, .number, .bool: return try? JSONWriter().encode(found)
    default: return nil
    }
  }
}

/// The value of a placeholder, in the form for each place of a request.
struct PlaceholderValue {
  let json: Data

  init(_ json: Data) { self.json = json }

  var text: String {
    (try? JSONValue(parsing: json))?.string ?? String(decoding: json, as: UTF8.self)
  }

  /// The form for a path, a query or a form.
  var encoded: String { (("\(text)") as RequestPath).encoded }

  /// The form for a JSON string that contains more than the placeholder.
  private var insideJSON: String {
    let string = String(decoding: json, as: UTF8.self)
    return string.hasPrefix("\"") ? String(string.dropFirst().dropLast()) : string
  }

  /// The form for the text of an XML element, or for an attribute.
  private var insideXML: String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;").replacing("'", with: "&apos;")
  }

  /// Inserts the value into a body in a form that can only be read as a value.
  func replacing(_ name: String, in body: Data, of mediaType: MediaType?) -> Data {
    let type = mediaType?.essence ?? ""
    let replace = { (body: Data, text: String) in
      body.replacing(Data(name.utf8)) { _ in Data(text.utf8) }
    }
    if type.hasSuffix("json") {
      let whole = body.replacing(Data("\"\(name)\"".utf8)) { rest in
        // The name of a member is a string, even if the value is a number.
        rest.isAfterMemberName ? Data("\"\(insideJSON)\"".utf8) : json
      }
      return replace(whole, insideJSON)
    }
    if type.hasSuffix("xml") { return replace(body, insideXML) }
    return replace(body, type == MediaType.form.rawValue ? encoded : text)
  }
}

extension Data {
  /// Returns the offset of the first occurrence of some bytes; `nil` if there is none. Each body is
  /// searched when it is added, in a small part of the time of `firstRange(of:)`.
  fileprivate func firstOffset(of wanted: Data) -> Int? {
    unsafe withUnsafeBytes { bytes in
      unsafe wanted.withUnsafeBytes { wanted in unsafe bytes.firstOffset(of: wanted) }
    }
  }

  /// Replaces some bytes wherever they occur. `new` is called with the bytes that follow.
  fileprivate func replacing(_ old: Data, with new: (_ rest: Data) -> Data) -> Data {
    var (result, rest) = (Data(), self)
    while let offset = rest.firstOffset(of: old) {
      result += rest.prefix(offset)
      rest = rest.dropFirst(offset + old.count)
      result += new(rest)
    }
    return result + rest
  }

  /// Whether a string before it is the name of a JSON object's member.
  fileprivate var isAfterMemberName: Bool {
    first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: ":")
  }
}

extension UnsafeRawBufferPointer {
  fileprivate func firstOffset(of wanted: UnsafeRawBufferPointer) -> Int? {
    guard let start = baseAddress, let name = wanted.baseAddress else { return nil }
    var offset = 0
    // Both calls stay in bounds: as many bytes remain as are searched for, which is at least one.
    while offset + wanted.count <= count {
      let length = count - wanted.count + 1 - offset
      guard let found = unsafe memchr(start + offset, Int32(wanted[0]), length) else { return nil }
      offset = unsafe UnsafeRawPointer(found) - start
      if unsafe memcmp(found, name, wanted.count) == 0 { return offset }
      offset += 1
    }
    return nil
  }
}
