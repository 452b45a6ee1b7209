/// A media type with its parameters (RFC 9110 section 8.3), such as `text/html; charset=utf-8`. An open set.
public struct MediaType: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
  /// The text as it is sent.
  public let rawValue: String

  /// Wraps a media type.
  ///
  /// - Parameter rawValue: The text as it is sent.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Wraps a literal media type.
  public init(stringLiteral value: String) { self.init(rawValue: value) }

  /// `application/json`
  public static let json: MediaType = "application/json"
  /// `text/plain; charset=utf-8`
  public static let text: MediaType = "text/plain; charset=utf-8"
  /// `application/x-www-form-urlencoded`
  public static let form: MediaType = "application/x-www-form-urlencoded"
  /// `application/octet-stream`
  public static let data: MediaType = "application/octet-stream"
}

extension MediaType {
  /// The type and subtype in lower case, without parameters: `text/html`.
  public var essence: String {
    let end = rawValue.firstIndex(of: ";") ?? rawValue.endIndex
    return rawValue[..<end].trimmingSpaces().lowercased()
  }

  /// The value of a parameter, unquoted, or `nil` where there is none of that name.
  public func parameter(_ name: String) -> String? {
    for part in rawValue.split(separator: ";").dropFirst() {
      let pair = part.split(separator: "=", maxSplits: 1)
      guard pair.count == 2, pair[0].trimmingSpaces().lowercased() == name.lowercased() else {
        continue
      }
      return pair[1].trimmingSpaces().filter { $0 != "\"" }
    }
    return nil
  }
}

extension Response {
  /// The media type of the body as the server gave it, or `nil` where it gave none.
  public var mediaType: MediaType? { headers[.contentType].map(MediaType.init(rawValue:)) }
}

extension StringProtocol {
  /// Without the spaces and tabs around it (RFC 9110 section 5.6.3).
  func trimmingSpaces() -> String {
    let isSpace = { (character: Character) in character == " " || character == "\t" }
    guard let first = firstIndex(where: { !isSpace($0) }),
      let last = lastIndex(where: { !isSpace($0) })
    else { return "" }
    return String(self[first...last])
  }
}
