/// Where in a document something is.
public struct JSONPlace: Error, Hashable, Sendable {
  /// The 1-based number of the line; lines end with a line feed.
  public let line: Int
  /// The 1-based position in the line, in characters.
  public let column: Int
  /// The 0-based position in the document, in bytes of the data that was given.
  public let offset: Int
}

extension JSONPlace: CustomStringConvertible {
  /// The place as one says it: `line 3, column 14`.
  public var description: String { "line \(line), column \(column)" }
}

/// Why a text isn't JSON.
public struct JSONSyntaxError: Error, Hashable, Sendable {
  /// What is wrong, as a phrase in English that can follow a colon.
  public let reason: String
  /// Where it is.
  public let place: JSONPlace
}

extension JSONSyntaxError: CustomStringConvertible {
  /// The reason and the place.
  public var description: String { "\(reason), at \(place)" }
}

/// What is wrong with a text, and the offset in UTF-8 at which it is.
struct JSONMistake: Error {
  let reason: String
  let offset: Int

  init(_ reason: String, at offset: Int) {
    self.reason = reason
    self.offset = offset
  }
}

/// The offset in UTF-8 of the value that an error speaks of, for as long as the error may still be caught by a type that
/// goes on to try something else: counting lines for each such error would take quadratic time.
struct JSONOffset: Error {
  let offset: Int
}
