internal import ResourcePrimitives

/// Why a document was refused, with line and column.
///
/// The parser throws it. ``XMLDecoder`` throws a `DecodingError` with this error as
/// `underlyingError`.
public struct XMLError: Error, Hashable, Sendable {
  /// The kind of the error.
  public var kind: Kind

  /// A sentence in English that describes the error.
  public var message: String

  /// The line of the error, counted from 1. CR LF, CR and LF each end a line.
  public var line: Int

  /// The column in Unicode scalars, counted from 1.
  public var column: Int

  /// About 80 characters of the document around the error. Line ends are shown as spaces, and
  /// values of elements and attributes with the names of secrets as `<redacted>`.
  public var snippet: String

  package init(kind: Kind, message: String, line: Int, column: Int, snippet: String = "") {
    self.kind = kind
    self.message = message
    self.line = line
    self.column = column
    self.snippet = snippet
  }
}

extension XMLError: CustomStringConvertible {
  /// The message, the line and column, and the snippet on one line.
  public var description: String {
    let place = "line \(line), column \(column)"
    let text = snippet.isEmpty ? "" : ", near “\(snippet)”"
    return "\(message) (\(place)\(text))".printable
  }
}

extension XMLError {
  /// The kind of an error. The set is open: later versions may add kinds.
  public struct Kind: RawRepresentable, Hashable, Sendable {
    /// The name of the kind, for logs.
    public var rawValue: String

    /// Creates a kind from its name.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// Bytes that aren't valid in the document's encoding.
    public static let invalidBytes = Self(rawValue: "invalidBytes")
    /// An encoding that neither this module nor the platform knows.
    public static let unsupportedEncoding = Self(rawValue: "unsupportedEncoding")
    /// A document in another encoding than it declares (section 4.3.3).
    public static let encodingMismatch = Self(rawValue: "encodingMismatch")
    /// A character that XML doesn't allow (production 2), written or referred to.
    public static let invalidCharacter = Self(rawValue: "invalidCharacter")
    /// The document ends before it is complete.
    public static let unexpectedEnd = Self(rawValue: "unexpectedEnd")
    /// Text that no production of the recommendation matches.
    public static let syntax = Self(rawValue: "syntax")
    /// An end tag that doesn't match its start tag.
    public static let mismatchedTag = Self(rawValue: "mismatchedTag")
    /// Two attributes with the same name in one tag.
    public static let duplicateAttribute = Self(rawValue: "duplicateAttribute")
    /// A reference to an entity that isn't declared.
    public static let undeclaredEntity = Self(rawValue: "undeclaredEntity")
    /// An entity that contains itself.
    public static let recursiveEntity = Self(rawValue: "recursiveEntity")
    /// A reference in a place where it isn't allowed.
    public static let forbiddenReference = Self(rawValue: "forbiddenReference")
    /// A name, prefix or declaration that Namespaces in XML doesn't allow.
    public static let namespace = Self(rawValue: "namespace")
    /// A document type declaration where ``XMLOptions/allowsDocumentTypes`` is `false`.
    public static let documentType = Self(rawValue: "documentType")
    /// A limit of ``XMLOptions`` was passed.
    public static let limit = Self(rawValue: "limit")
    /// A well-formed document whose content doesn't match the type; only from ``XMLDecoder``.
    public static let content = Self(rawValue: "content")
  }
}
