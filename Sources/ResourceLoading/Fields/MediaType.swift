import ResourcePrimitives

/// A media type with its parameters (RFC 9110 section 8.3), such as `text/html; charset=utf-8`. An
/// open set.
public struct MediaType: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
  /// The text as it is sent.
  public let rawValue: String

  /// Creates a media type.
  ///
  /// - Parameter rawValue: The text as it is sent.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Creates a media type from a literal.
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
  /// Returns whether two media types are equal, byte by byte.
  public static func == (one: Self, other: Self) -> Bool {
    one.rawValue.hasSameBytes(as: other.rawValue)
  }

  /// The type and subtype in lower case, without parameters: `text/html`.
  ///
  /// Of several, from a server that sends the header twice, the last counts.
  public var essence: String { members.last?.essence ?? "" }

  /// Returns the unquoted value of a parameter, `nil` if there is none of that name.
  public func parameter(_ name: String) -> String? {
    let members = members
    return members.reversed().lazy.filter { $0.essence == members.last?.essence }
      .flatMap(\.parameters).first { $0.name == name.lowercased() && !$0.value.isEmpty }?.value
  }

  private typealias Member = (essence: String, parameters: [(name: String, value: String)])

  private var members: [Member] {
    var scanner = FieldScanner(rawValue)
    var members: [Member] = []
    while !scanner.isAtEnd {
      var member = (scanner.text(before: ";,").trimmingSpaces().lowercased(), []) as Member
      while let parameter = scanner.parameter() {
        member.parameters.append(parameter)
        scanner.skipText(before: ";,")
      }
      _ = scanner.skip(",")
      if !member.essence.isEmpty { members.append(member) }
    }
    return members
  }
}

extension Headers {
  /// The media type of the body, if there is a `Content-Type`.
  var mediaType: MediaType? { self[.contentType].map(MediaType.init(rawValue:)) }
}
