/// A position in a document.
public struct JSONPosition: Error, Hashable, Sendable {
  /// The 1-based number of the line; lines end with a line feed.
  public let line: Int
  /// The 1-based position in the line, in characters.
  public let column: Int
  /// The 0-based position in the document, in bytes of the data that was given.
  public let offset: Int
}

extension JSONPosition: CustomStringConvertible {
  /// The position in words: `line 3, column 14`.
  public var description: String { "line \(line), column \(column)" }
}

/// The reason why a text isn't JSON.
public struct JSONSyntaxError: Error, Hashable, Sendable {
  /// The reason, as a phrase in English that can follow a colon.
  public let reason: String
  /// The position of the mistake.
  public let position: JSONPosition
}

extension JSONSyntaxError: CustomStringConvertible {
  /// The reason and the position.
  public var description: String { "\(reason), at \(position)" }
}

/// The reason why a document that arrives in pieces isn't read on: a value has more bytes than are
/// allowed.
public struct JSONSizeError: Error, Hashable, Sendable {
  /// The most bytes of a value.
  public let limit: Int
  /// The position at which the value begins.
  public let position: JSONPosition
}

extension JSONSizeError: CustomStringConvertible {
  /// The limit and the position.
  public var description: String { "a value has more than \(limit) bytes, at \(position)" }
}

/// A mistake in a text, with its offset in UTF-8.
struct JSONScanError: Error {
  let reason: String
  let offset: Int

  init(_ reason: String, at offset: Int) {
    self.reason = reason
    self.offset = offset
  }
}

/// The offset in UTF-8 of the value of an error. Its line isn't counted yet, since a type may catch
/// the error and try something else: counting lines for each such error would take quadratic time.
struct JSONOffset: Error {
  let offset: Int
}
