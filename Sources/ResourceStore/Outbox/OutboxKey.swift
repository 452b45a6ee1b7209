/// Identifies the thing that an entry of an ``Outbox`` changes, such as one note. Entries with one key are sent one
/// after another, in the order in which they were added; different keys go in parallel.
///
/// ```swift
/// extension OutboxKey {
///   static func note(_ id: UUID) -> OutboxKey { "note \(id)" }
/// }
/// ```
public struct OutboxKey: RawRepresentable, Hashable, Sendable {
  /// The text that identifies the key in the database.
  public let rawValue: String

  /// Makes a key.
  ///
  /// - Parameter rawValue: Any text. It is stored as it is: it must not hold a secret.
  public init(rawValue: String) { self.rawValue = rawValue }
}

extension OutboxKey: ExpressibleByStringInterpolation {
  /// Makes a key from a literal.
  public init(stringLiteral value: String) { self.init(rawValue: value) }
}

extension OutboxKey: CustomStringConvertible {
  /// The text of the key.
  public var description: String { rawValue }
}
