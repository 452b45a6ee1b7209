/// An HTTP status code (RFC 9110 section 15). An open set: any number is allowed.
public struct Status: RawRepresentable, Hashable, Sendable, ExpressibleByIntegerLiteral {
  /// The code, usually 100 to 599.
  public let rawValue: Int

  /// Makes a status from a code.
  ///
  /// - Parameter rawValue: Any number; nothing is checked.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Makes a status from a literal code.
  ///
  /// - Parameter value: Any number; nothing is checked.
  public init(integerLiteral value: Int) { self.init(rawValue: value) }
}

extension Status {
  /// Whether the code is 1xx.
  public var isInformational: Bool { (100..<200).contains(rawValue) }
  /// Whether the code is 2xx.
  public var isSuccess: Bool { (200..<300).contains(rawValue) }
  /// Whether the code is 3xx, which includes 304.
  public var isRedirection: Bool { (300..<400).contains(rawValue) }
  /// Whether the code is 4xx.
  public var isClientError: Bool { (400..<500).contains(rawValue) }
  /// Whether the code is 5xx.
  public var isServerError: Bool { (500..<600).contains(rawValue) }
}

extension Status: Comparable {
  /// By their codes, so that a `switch` may have ranges of them: `case 500...599`.
  public static func < (one: Status, other: Status) -> Bool { one.rawValue < other.rawValue }
}

extension Status: CustomStringConvertible {
  /// The code with its reason phrase, if it is registered: `404 Not Found`.
  public var description: String {
    guard let reason else { return "\(rawValue)" }
    return "\(rawValue) \(reason)"
  }

  /// The registered reason phrase, or `nil` for other codes.
  public var reason: String? { Self.reasons[rawValue] }
}
