import Foundation

/// A path below a base URL, percent-encoded as it is built.
///
/// A literal is taken as written, with what a path can't hold percent-encoded. A value interpolated into
/// it becomes exactly one segment: whatever it contains, it can neither add a segment nor climb out of
/// one.
///
/// ```swift
/// let login = "a/../b"
/// let path: Path = "/users/\(login)/repos"  // /users/a%2F..%2Fb/repos
/// ```
public struct Path: Sendable, Hashable {
  /// The percent-encoded text.
  public let encoded: String

  /// Takes a path that is percent-encoded already, and sends it as it is.
  ///
  /// - Parameter encoded: The path. What RFC 3986 section 3.3 doesn't allow in it, such as a space, a `?` or a
  ///   `%` without two digits, makes loading the request fail.
  public init(encoded: String) { self.encoded = encoded }

  /// Takes a path as a literal is taken: its slashes separate segments.
  ///
  /// - Parameter text: The path, unescaped; a `%` in it is a percent sign, not an escape.
  public init(_ text: String) {
    encoded = PercentEncoding.path.encode(text)
  }
}

extension Path: ExpressibleByStringInterpolation {
  /// A path without interpolated values.
  public init(stringLiteral value: String) {
    self.init(value)
  }

  /// A path from a literal with interpolated values.
  public init(stringInterpolation: Interpolation) {
    self.init(encoded: stringInterpolation.encoded)
  }

  /// Collects the parts of an interpolated path.
  public struct Interpolation: StringInterpolationProtocol {
    fileprivate var encoded = ""

    /// Starts an empty path.
    public init(literalCapacity: Int, interpolationCount: Int) {
      encoded.reserveCapacity(literalCapacity + 16 * interpolationCount)
    }

    /// Appends a literal part, whose slashes separate segments.
    public mutating func appendLiteral(_ literal: String) {
      encoded += PercentEncoding.path.encode(literal)
    }

    /// Appends a value as exactly one segment, or as a part of one.
    ///
    /// - Parameter value: Its text. If it makes a segment of `.` or `..`, escaped or not, loading the request
    ///   fails with a ``LoadError`` of kind ``LoadError/Kind/invalidRequest``, for a server would read it as a
    ///   step.
    public mutating func appendInterpolation(_ value: some CustomStringConvertible) {
      let text = value.description
      // So that it can't make a step together with what stands around it, unseen by the check.
      encoded +=
        text.utf8.allSatisfy { $0 == UInt8(ascii: ".") }
        ? text.replacing(".", with: "%2E") : PercentEncoding.unreserved.encode(text)
    }
  }
}

extension Path: CustomStringConvertible {
  /// The percent-encoded text.
  public var description: String { encoded }
}

extension Path {
  /// The path as a relative URL.
  var relativeURL: URL {
    URL(string: encoded.isEmpty ? "." : encoded) ?? URL(filePath: encoded)
  }
}
