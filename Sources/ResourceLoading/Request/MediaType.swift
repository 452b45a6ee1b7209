/// A media type with its parameters (RFC 9110 section 8.3), such as `text/html; charset=utf-8`. An open set.
public struct MediaType: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
  /// The text as it is sent.
  public let rawValue: String

  /// Makes a media type.
  ///
  /// - Parameter rawValue: The text as it is sent.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Makes a media type from a literal.
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
  ///
  /// Of several, from a server that sends the header twice, the last counts.
  public var essence: String { members.last?.essence ?? "" }

  /// Returns the unquoted value of a parameter, `nil` if there is none of that name.
  public func parameter(_ name: String) -> String? {
    let members = members
    return members.reversed().lazy.filter { $0.essence == members.last?.essence }
      .compactMap { $0.parameter(name.lowercased()) }.first
  }

  private var members: [Member] {
    rawValue.separated(by: ",").map(Member.init).filter { !$0.essence.isEmpty }
  }

  /// One media type of a list.
  private struct Member {
    let essence: String
    private let parameters: ArraySlice<Substring>

    init(_ text: Substring) {
      let parts = text.separated(by: ";")
      essence = parts.first?.trimmingSpaces().lowercased() ?? ""
      parameters = parts.dropFirst()
    }

    func parameter(_ name: String) -> String? {
      for part in parameters {
        guard let (key, value) = part.cut(at: "="), !value.isEmpty,
          key.trimmingSpaces().lowercased() == name
        else { continue }
        return value.trimmingSpaces().unquoted
      }
      return nil
    }
  }
}

extension Response {
  /// The media type of the body, if the server gave one.
  public var mediaType: MediaType? { headers[.contentType].map(MediaType.init(rawValue:)) }
}

extension StringProtocol {
  /// Returns the parts between separators, except those in quoted strings (RFC 9110 section 5.6.4).
  fileprivate func separated(by separator: Unicode.Scalar) -> [Substring] {
    var (isQuoted, isEscaped) = (false, false)
    let parts = Substring(self).unicodeScalars.split(omittingEmptySubsequences: false) { scalar in
      defer { isEscaped = isQuoted && !isEscaped && scalar == "\\" }
      if scalar == "\"", !isEscaped { isQuoted.toggle() }
      return scalar == separator && !isQuoted
    }
    return parts.map { Substring($0) }
  }
}

extension String {
  /// The content of a quoted string without escapes; other text as it is.
  fileprivate var unquoted: String {
    guard begins(with: "\"") else { return self }
    var (text, rest) = (String.UnicodeScalarView(), unicodeScalars.dropFirst())
    while let scalar = rest.popFirst(), scalar != "\"" {
      text.append(scalar == "\\" ? rest.popFirst() ?? scalar : scalar)
    }
    return String(text)
  }
}
