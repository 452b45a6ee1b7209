public import Foundation
internal import ResourcePrimitives

/// The values of a document that arrives in pieces, each as soon as it is complete.
///
/// ```swift
/// var issues = JSONReader(decoder).elements(of: Issue.self, at: "items")
/// for piece in pieces {
///   issues.append(piece)
///   while let issue = try issues.next() { print(issue.title) }
/// }
/// issues.finish()
/// while let issue = try issues.next() { print(issue.title) }
/// ```
///
/// A reader creates it: ``JSONReader/elements(of:at:maximumElementSize:)`` for the elements of an
/// array, ``JSONReader/values(of:in:maximumValueSize:)`` for values one behind the other.
///
/// It needs as much memory as the largest value, the largest piece, and 64 KiB.
public struct JSONElements<Element: Decodable> {
  // Without a type, so that what is done for each value needs no metadata.
  private var values: PieceValues

  fileprivate init(_ values: PieceValues) { self.values = values }
}

/// The form of a text with several values.
public enum JSONSequenceForm: Sendable, Hashable {
  /// A value behind the other, with or without white space between them.
  case concatenated
  /// A value on each line (JSON Lines). Empty lines are skipped. Lines end with LF or CR LF.
  case lines
  /// Values that each begin with a record separator, U+001E, and end with a line feed (RFC 7464). A
  /// number or a word without white space behind it has been cut off.
  case recordSeparated
}

extension JSONReader {
  /// Creates a reader of the elements of an array in a document that arrives in pieces.
  ///
  /// The whole document is checked. A wrong value is an error when its turn comes; reading can go
  /// on behind it. A mistake in the text, and a document without the array, end the elements; those
  /// before it are read first. The strategies of the decoder count. A subclass of `JSONDecoder`,
  /// and one that allows JSON5, decodes each element itself, without the position in its error; a
  /// text that only JSON5 allows is a mistake here.
  ///
  /// - Parameters:
  ///   - type: The type of an element.
  ///   - path: The path to the array, as errors show it: names and positions such as
  ///     `data.pages[0].items`, or a JSON Pointer (RFC 6901) such as `/data/pages/0/items`. By
  ///     default the document is the array.
  ///   - maximumElementSize: The most bytes of an element in UTF-8, and of a string or number
  ///     elsewhere. A larger one ends the elements with a ``JSONSizeError``.
  public func elements<Element: Decodable>(
    of type: Element.Type = Element.self, at path: String = "",
    maximumElementSize: Int = 16 << 20
  ) -> JSONElements<Element> {
    JSONElements(
      PieceValues(
        self, .array([PathKey](path: path)), limit: min(maximumElementSize, Self.maximumSize)))
  }

  /// Creates a reader of values that stand one behind the other in a text that arrives in pieces.
  ///
  /// A wrong value is an error when its turn comes; reading can go on behind it. So it is with a
  /// mistake in a line or a record: ``JSONElements/next()`` goes on with the one behind it. A
  /// mistake between concatenated values ends them.
  ///
  /// - Parameters:
  ///   - type: The type of each value.
  ///   - form: What stands between the values.
  ///   - maximumValueSize: The most bytes of a value in UTF-8. A larger one is a
  ///     ``JSONSizeError``.
  public func values<Value: Decodable>(
    of type: Value.Type = Value.self, in form: JSONSequenceForm,
    maximumValueSize: Int = 16 << 20
  ) -> JSONElements<Value> {
    JSONElements(PieceValues(self, .sequence(form), limit: maximumValueSize))
  }
}

extension JSONElements {
  /// Adds the next piece, of any size. It may end anywhere, even within a character.
  ///
  /// Read all values that are complete before you add the next piece, or both have to be kept.
  public mutating func append(_ piece: Data) { values.append(piece) }

  /// Says that no more pieces follow.
  public mutating func finish() { values.finish() }

  /// Returns the next value.
  ///
  /// - Returns: `nil` if more pieces are needed, or behind the last value.
  /// - Throws: As ``JSONReader/decode(_:from:)``; a ``JSONSizeError``. Positions and coding paths
  ///   are those in the whole document.
  public mutating func next() throws -> Element? {
    try values.prepare() ? values.decode(Element.self) : nil
  }
}

extension JSONElements {
  /// Whether nothing follows, whatever is added.
  package var isFinished: Bool { values.isFinished }

  /// Returns the text of the value that ``next()`` decodes next; `nil` if it returns `nil` now.
  package mutating func upcoming() throws -> ArraySlice<UInt8>? {
    try values.prepare() ? values.upcoming : nil
  }

  /// What has arrived; `nil` if some of it has been dropped, or it isn't UTF-8.
  package var beginning: Data? { values.beginning }
}
