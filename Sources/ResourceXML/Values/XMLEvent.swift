/// An event of the parser, in document order.
public enum XMLEvent: Hashable, Sendable {
  /// `<?xml version="1.0" …?>`. At most once, before anything else.
  case declaration(Declaration)

  /// `<!DOCTYPE name …>`, after it has been read to its end. At most once, before the root.
  case documentType(DocumentType)

  /// A start tag or an empty-element tag. The attributes include namespace declarations and, after
  /// the written ones, defaults of the document type.
  case startElement(XMLName, attributes: [Attribute])

  /// The end of an element, including that of an empty-element tag.
  case endElement(XMLName)

  /// A run of characters, CDATA sections and expanded references. Never empty. A run longer than 64
  /// KiB is reported in pieces of about that size.
  case text(String)

  /// The text between `<!--` and `-->`. Comments inside the document type aren't reported.
  case comment(String)

  /// `<?target data?>`, outside and inside the document type.
  case processingInstruction(target: String, data: String)

  /// A reference in content to an entity that isn't read, either because it is external, or because
  /// its declaration may be in an unread part of the document type.
  case skippedEntity(name: String)
}

extension XMLEvent {
  /// An attribute and its normalised value.
  public struct Attribute: Hashable, Sendable {
    /// Its name. An attribute without a prefix has no namespace.
    public var name: XMLName

    /// Its value, with references expanded and white space normalised for the declared type
    /// (section 3.3.3).
    public var value: String

    /// Whether the document has it; otherwise it is a default of the document type.
    public var isSpecified: Bool

    /// Creates an attribute.
    public init(name: XMLName, value: String, isSpecified: Bool = true) {
      self.name = name
      self.value = value
      self.isSpecified = isSpecified
    }
  }

  /// The XML declaration (production 23).
  public struct Declaration: Hashable, Sendable {
    /// `1.0`, or another `1.x` version, which is read in the same way.
    public var version: String

    /// The declared encoding, as written.
    public var encoding: String?

    /// The standalone document declaration.
    public var standalone: Bool?
  }

  /// The document type declaration (production 28). Nothing external is ever read.
  public struct DocumentType: Hashable, Sendable {
    /// The name of the root element that a valid document would have.
    public var name: String

    /// The public identifier of the external subset.
    public var publicID: String?

    /// The system identifier of the external subset.
    public var systemID: String?

    /// The declared notations; the first declaration of each name counts.
    public var notations: [Notation]
  }

  /// A notation (production 82).
  public struct Notation: Hashable, Sendable {
    /// Its name.
    public var name: String

    /// Its public identifier, white space normalised.
    public var publicID: String?

    /// Its system identifier.
    public var systemID: String?
  }
}

/// The name of an element or attribute.
public struct XMLName: Hashable, Sendable {
  /// The name as the document writes it, including the prefix: `media:title`.
  public var qualified: String

  /// The part after the colon, or the whole name: `title`.
  public var local: String

  /// The URI to which the prefix (or, for elements, its absence) is bound; `nil` if it isn't bound.
  public var namespace: String?

  /// Creates a name from its parts; `qualified` and `local` are the same for a name without a
  /// prefix.
  public init(qualified: String, local: String? = nil, namespace: String? = nil) {
    self.qualified = qualified
    self.local = local ?? qualified
    self.namespace = namespace
  }

  /// The part before the colon; `nil` if there is none.
  public var prefix: String? {
    // Counted in bytes, because a combining character at the beginning of a local name forms one
    // character with the colon.
    let length = qualified.utf8.count - local.utf8.count - 1
    return length < 0 ? nil : String(decoding: qualified.utf8.prefix(length), as: UTF8.self)
  }
}

extension XMLName: CustomStringConvertible {
  /// The name as the document writes it.
  public var description: String { qualified }
}
