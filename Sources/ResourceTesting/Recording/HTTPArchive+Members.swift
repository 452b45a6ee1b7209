import Foundation
import ResourceJSON
import ResourceLoading
import ResourcePrimitives

extension HTTPArchive {
  /// What a file says about a body.
  enum Content {
    case known(Body)
    case missing(MissingBody)
  }

  /// A value that should be a string. Some programs write numbers, lists of strings, or objects.
  struct Value: Decodable {
    /// The string, the strings of a list, or the JSON of any other value.
    let texts: [String]
    /// The value, if it isn't a string.
    let other: JSONValue?

    init(from decoder: any Decoder) throws {
      if let text = try? decoder.singleValueContainer().decode(String.self) {
        (texts, other) = ([text], nil)
        return
      }
      let value = try JSONValue(from: decoder)
      other = value
      if case .array(let elements) = value {
        texts = try elements.compactMap(Self.text)
      } else {
        texts = try Self.text(value).map { [$0] } ?? []
      }
    }

    private static func text(_ value: JSONValue) throws -> String? {
      if case .null = value { return nil }
      if let text = value.string { return text }
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      return String(decoding: try JSONWriter(encoder).encode(value), as: UTF8.self)
    }
  }

  /// A name with a value: an object, as the format requires, or a list of the two, as Slack writes
  /// it.
  struct Member: Decodable {
    let name: String
    let value: Value?

    init(from decoder: any Decoder) throws {
      if var pair = try? decoder.unkeyedContainer() {
        name = try pair.decode(String.self)
        value = pair.isAtEnd ? nil : try pair.decode(Value.self)
      } else {
        let pair = try decoder.container(keyedBy: Key.self)
        name = try pair.decode(String.self, forKey: "name")
        value = try pair.decodeIfPresent(Value.self, forKey: "value")
      }
    }
  }
}

extension KeyedDecodingContainer where Key == HTTPArchive.Key {
  /// Returns a string; `nil` if it is missing or not a string.
  func text(_ key: Key) -> String? { try? decodeIfPresent(String.self, forKey: key) }

  /// Returns a value of any type; `nil` if it is missing.
  func value(_ key: Key) -> HTTPArchive.Value? {
    try? decodeIfPresent(HTTPArchive.Value.self, forKey: key)
  }

  /// A number of bytes; `nil` if it is unknown, which browsers write as -1.
  func count(_ key: Key) -> Int? {
    guard let number = try? decodeIfPresent(Double.self, forKey: key), number >= 0 else {
      return nil
    }
    return Int(exactly: number.rounded())
  }

  /// A time in milliseconds; `nil` if it is unknown, or longer than a year.
  func duration(_ key: Key) -> Duration? {
    guard let number = try? decodeIfPresent(Double.self, forKey: key),
      (0...31_536_000_000).contains(number)
    else { return nil }
    return .microseconds(Int64((number * 1000).rounded()))
  }

  /// The headers without HTTP/2's pseudo-headers. Each line of a value becomes a field, because
  /// browsers join repeated fields with line breaks. So does each element of a list.
  func headers() throws -> Headers {
    var headers = Headers()
    for field in try decodeIfPresent([HTTPArchive.Member].self, forKey: "headers") ?? [] {
      guard !field.name.isEmpty, !field.name.hasPrefix(":") else { continue }
      let name = Headers.Name(rawValue: field.name)
      let texts = field.value?.texts ?? []
      for text in texts.isEmpty ? [""] : texts {
        let lines = text.unicodeScalars.split { $0 == "\n" || $0 == "\r" }
        for line in lines { headers.append(name, String(line)) }
        if lines.isEmpty { headers.append(name, "") }
      }
    }
    return headers
  }

  /// A body, or what the file says about one that it doesn't have or that can't be decoded; `nil`
  /// if there is no such member.
  func content(_ key: Key) -> HTTPArchive.Content? {
    if let text = text(key) { return .known(HTTPArchive.Body(Data(text.utf8))) }
    guard let content = try? nestedContainer(keyedBy: Key.self, forKey: key) else { return nil }
    let type = content.text("mimeType").flatMap { $0.isEmpty ? nil : $0 }
    var missing = HTTPArchive.MissingBody(
      size: content.count("size"), mediaType: type,
      reason: content.text("comment").flatMap { .init(rawValue: $0) }
        ?? content.text("_file").map { _ in .otherFile })
    guard let value = content.value("text"), let text = value.texts.first else {
      return .missing(missing)
    }
    guard value.other == nil else {
      missing.reason = .noText
      return .missing(missing)
    }
    let coding = BodyCoding(content)
    guard let data = coding.data(of: text) else {
      missing.reason = coding == .hexadecimal ? .hexadecimal : .base64
      return .missing(missing)
    }
    var body = HTTPArchive.Body(data, mediaType: type)
    body.isTranscoded = coding == .text
    body.isComplete = (try? content.decodeIfPresent(Bool.self, forKey: "_complete")) ?? true
    if !body.isComplete { body.size = max(missing.size ?? 0, data.count) }
    // The body wasn't kept.
    if data.isEmpty, body.isComplete, (missing.size ?? 0) > 0 { return .missing(missing) }
    return .known(body)
  }

  /// The body for the parameters: a form as it was sent, or a JSON object, whose members chrome-har
  /// writes as parameters. `nil` if there are no parameters, or it isn't clear how they were sent.
  func form() -> HTTPArchive.Body? {
    guard let post = try? nestedContainer(keyedBy: Key.self, forKey: "postData"),
      let list = try? post.decode([HTTPArchive.Member].self, forKey: "params"), !list.isEmpty
    else { return nil }
    let type = post.text("mimeType") ?? ""
    let essence = MediaType(rawValue: type).essence.lowercased()
    if essence.hasPrefix("multipart/") { return nil }
    if essence.hasSuffix("json") {
      return (try? JSONMembers(list).data).map { HTTPArchive.Body($0, mediaType: type) }
    }
    // Chrome writes them as they were sent; Firefox decodes them.
    let fields = list.flatMap { field in
      let texts = field.value?.texts ?? []
      return (texts.isEmpty ? [""] : texts).map { "\(field.name.formEncoded)=\($0.formEncoded)" }
    }
    return HTTPArchive.Body(
      Data(fields.joined(separator: "&").utf8), mediaType: type.isEmpty ? nil : type)
  }
}

/// The members of an object. chrome-har writes each element of a list under the same name.
private struct JSONMembers: Encodable {
  let members: [String: [HTTPArchive.Member]]

  init(_ list: [HTTPArchive.Member]) { members = Dictionary(grouping: list, by: \.name) }

  var data: Data {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      return try JSONWriter(encoder).encode(self)
    }
  }

  func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: HTTPArchive.Key.self)
    for (name, values) in members {
      let key = HTTPArchive.Key(stringLiteral: name)
      let values = values.map {
        $0.value?.other ?? $0.value?.texts.first.map { .string($0) } ?? .null
      }
      if values.count == 1 {
        try object.encode(values[0], forKey: key)
      } else {
        try object.encode(values, forKey: key)
      }
    }
  }
}

extension String {
  /// The text encoded for a form, unless it is already encoded.
  fileprivate var formEncoded: String {
    PercentEncoding.form.accepts(replacing(["+": ""])) ? self : PercentEncoding.form.encode(self)
  }
}
