/// Why a document was refused, and where.
///
/// Every error that reading XML can give ends in one of these: the parser throws it, and
/// ``XMLDecoder`` puts it into the `underlyingError` of the `DecodingError` that it throws.
public struct XMLError: Error, Hashable, Sendable {
  /// What sort of trouble it is.
  public var kind: Kind

  /// One sentence for a person, in English.
  public var message: String

  /// The line of the trouble, counted from 1; CR LF, CR and LF each end one.
  public var line: Int

  /// The column in Unicode scalars, counted from 1.
  public var column: Int

  /// At most 80 characters of the document around the place, line ends shown as spaces.
  public var snippet: String

  /// Makes an error; the parser and the decoder do, and so may tests.
  public init(kind: Kind, message: String, line: Int, column: Int, snippet: String = "") {
    self.kind = kind
    self.message = message
    self.line = line
    self.column = column
    self.snippet = snippet
  }
}

extension XMLError: CustomStringConvertible {
  /// The message, the place and the text around it, in one line.
  public var description: String {
    let place = "line \(line), column \(column)"
    return snippet.isEmpty ? "\(message) (\(place))" : "\(message) (\(place), near “\(snippet)”)"
  }
}
