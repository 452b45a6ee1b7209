extension Headers {
  /// The name of a header field. An open set; names that differ in case only are equal, and the spelling is
  /// kept for sending.
  public struct Name: RawRepresentable, Sendable, ExpressibleByStringLiteral {
    /// The name in the spelling that is sent.
    public let rawValue: String

    /// Wraps a name.
    ///
    /// - Parameter rawValue: A token of RFC 9110 section 5.6.2; anything else is refused when the request
    ///   is loaded.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Wraps a literal name.
    public init(stringLiteral value: String) { self.init(rawValue: value) }
  }
}

extension Headers.Name: Hashable {
  /// Whether two names are the same without regard to ASCII case.
  public static func == (one: Self, other: Self) -> Bool {
    let (one, other) = (one.rawValue, other.rawValue)
    guard one.utf8.count == other.utf8.count else { return false }
    if one == other { return true }
    return zip(one.utf8, other.utf8).allSatisfy { lowercased($0) == lowercased($1) }
  }

  /// Hashes the name without regard to ASCII case.
  public func hash(into hasher: inout Hasher) {
    for byte in rawValue.utf8 { hasher.combine(Self.lowercased(byte)) }
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
}

extension Headers.Name: CustomStringConvertible {
  /// The name in the spelling that is sent.
  public var description: String { rawValue }
}
