internal import ResourcePrimitives

/// The reason why a document was refused, with its line and column.
///
/// The parser throws it, and ``XMLDecoder`` throws a `DecodingError` that has it as
/// `underlyingError`.
public struct XMLError: Error, Hashable, Sendable {
  /// The kind of the error.
  public var kind: Kind

  /// A sentence in English that describes the error.
  public var message: String

  /// The line of the error, counted from 1; CR LF, CR and LF each end a line.
  public var line: Int

  /// The column in Unicode scalars, counted from 1.
  public var column: Int

  /// Some 80 characters of the document around the error, line ends shown as spaces, and values of
  /// elements and attributes whose names are those of secrets as `<redacted>`.
  public var snippet: String

  /// Creates an error, for tests for example.
  package init(kind: Kind, message: String, line: Int, column: Int, snippet: String = "") {
    self.kind = kind
    self.message = message
    self.line = line
    self.column = column
    self.snippet = snippet
  }
}

extension XMLError: CustomStringConvertible {
  /// The message, the line and column, and the snippet, in one line.
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

    /// Bytes that mean nothing in the document's encoding.
    public static let invalidBytes = Self(rawValue: "invalidBytes")
    /// An encoding that neither this module nor the platform knows.
    public static let unsupportedEncoding = Self(rawValue: "unsupportedEncoding")
    /// A document that declares one encoding and is in another (section 4.3.3).
    public static let encodingMismatch = Self(rawValue: "encodingMismatch")
    /// A character that XML doesn't allow (production 2), written or referred to.
    public static let invalidCharacter = Self(rawValue: "invalidCharacter")
    /// The document ends before it is complete.
    public static let unexpectedEnd = Self(rawValue: "unexpectedEnd")
    /// Text that no production of the recommendation matches.
    public static let syntax = Self(rawValue: "syntax")
    /// An end tag that doesn't match its start tag.
    public static let mismatchedTag = Self(rawValue: "mismatchedTag")
    /// Two attributes of one name in one tag.
    public static let duplicateAttribute = Self(rawValue: "duplicateAttribute")
    /// A reference to an entity that isn't declared.
    public static let undeclaredEntity = Self(rawValue: "undeclaredEntity")
    /// An entity that contains itself.
    public static let recursiveEntity = Self(rawValue: "recursiveEntity")
    /// A reference that isn't allowed where it stands.
    public static let forbiddenReference = Self(rawValue: "forbiddenReference")
    /// A name, prefix or declaration that Namespaces in XML doesn't allow.
    public static let namespace = Self(rawValue: "namespace")
    /// A document type declaration where ``XMLOptions/allowsDocumentTypes`` is `false`.
    public static let documentType = Self(rawValue: "documentType")
    /// A limit of ``XMLOptions`` was passed.
    public static let limit = Self(rawValue: "limit")
    /// A well-formed document whose content isn't what the type wants; only ``XMLDecoder``.
    public static let content = Self(rawValue: "content")
  }
}
