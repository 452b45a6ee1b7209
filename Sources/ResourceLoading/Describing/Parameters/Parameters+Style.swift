public import Foundation

extension Parameters {
  /// How parameters are written. Without any choice:
  /// `filter[state]=open&tag=a&tag=b&done=true&since=2026-01-31T12:00:00Z`.
  public struct Style: Sendable {
    /// How the name of a nested value is written: `filter[state]` by default.
    public var nesting: Nesting = .brackets
    /// How the elements of arrays are written: by the repeated name by default.
    public var arrays: Arrays = .repeated
    /// How truth values are written: `true` and `false` by default.
    public var booleans: Booleans = .words
    /// How dates are written: as ISO 8601 in GMT, whole seconds, by default.
    public var dates: Dates = .iso8601
    /// How bytes are written: as Base64 by default.
    public var data: Bytes = .base64
    /// What becomes of `nil`: it is left out by default.
    public var nils: Nils = .omitted

    /// Makes the style without any choice.
    public init() {}
  }
}

extension Parameters.Style {
  /// How the name of a nested value is written.
  public enum Nesting: Sendable, Hashable {
    /// `filter[state]`
    case brackets
    /// `filter.state`
    case dots
  }

  /// How the elements of an array are written.
  public enum Arrays: Sendable, Hashable {
    /// `tag=a&tag=b`; elements with values nested in them get indices.
    case repeated
    /// `tag[]=a&tag[]=b`
    case brackets
    /// `tag[0]=a&tag[1]=b`
    case indices
    /// `tag=a,b`; elements with values nested in them get indices. In a query a comma within an element is
    /// escaped and so can be told from the ones between.
    case commas
  }

  /// How truth values are written.
  public enum Booleans: Sendable, Hashable {
    /// `true` and `false`
    case words
    /// `1` and `0`
    case digits
  }

  /// How dates are written.
  public enum Dates: Sendable {
    /// `2026-01-31T12:00:00Z`
    case iso8601
    /// Seconds since 1970, with a fraction only where there is one.
    case secondsSince1970
    /// Whole milliseconds since 1970.
    case millisecondsSince1970
    /// By a function.
    case custom(@Sendable (Date) -> String)
  }

  /// How bytes are written.
  public enum Bytes: Sendable {
    /// As Base64 (RFC 4648 section 4).
    case base64
    /// By a function.
    case custom(@Sendable (Data) -> String)
  }

  /// What becomes of `nil`.
  public enum Nils: Sendable, Hashable {
    /// It is left out.
    case omitted
    /// It becomes a name with an empty value, where the type encodes it at all: `Codable` types that the
    /// compiler completes leave it out themselves.
    case empty
  }
}
