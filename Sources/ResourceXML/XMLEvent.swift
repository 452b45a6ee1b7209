/// One thing that a parser found, in document order.
public enum XMLEvent: Hashable, Sendable {
  /// `<?xml version="1.0" …?>`. At most once, before anything else.
  case declaration(Declaration)

  /// `<!DOCTYPE name …>`, after it has been read to its end. At most once, before the root.
  case documentType(DocumentType)

  /// A start tag, or the first half of an empty-element tag. Attributes that the document type
  /// defaults are among the attributes, after the written ones; namespace declarations are too.
  case startElement(XMLName, attributes: [Attribute])

  /// The end of an element, also of an empty-element tag.
  case endElement(XMLName)

  /// Characters, CDATA sections and expanded references run together. Never empty. A run comes whole
  /// unless it is longer than 64 KiB; then it comes in pieces of about that size.
  case text(String)

  /// What stands between `<!--` and `-->`. Comments inside the document type aren't told.
  case comment(String)

  /// `<?target data?>`, outside and inside the document type.
  case processingInstruction(target: String, data: String)

  /// A reference in content to an entity that isn't read, because it is external, or because its
  /// declaration may be in a part of the document type that isn't read.
  case skippedEntity(name: String)
}

extension XMLEvent {
  /// An attribute and its normalised value.
  public struct Attribute: Hashable, Sendable {
    /// Its name. An attribute without a prefix has no namespace.
    public var name: XMLName

    /// Its value, references expanded, white space normalised by the declared type (section 3.3.3).
    public var value: String

    /// Whether it was written, or comes from a default in the document type.
    public var isSpecified: Bool

    /// Makes an attribute.
    public init(name: XMLName, value: String, isSpecified: Bool = true) {
      self.name = name
      self.value = value
      self.isSpecified = isSpecified
    }
  }

  /// What the XML declaration says (production 23).
  public struct Declaration: Hashable, Sendable {
    /// `1.0`, or another `1.x`, which is read in the same way.
    public var version: String

    /// The declared encoding, as written.
    public var encoding: String?

    /// The standalone document declaration.
    public var standalone: Bool?
  }

  /// What the document type declaration names (production 28). Nothing external is ever read.
  public struct DocumentType: Hashable, Sendable {
    /// The name of the root element that a valid document would have.
    public var name: String

    /// The public identifier of the external subset.
    public var publicID: String?

    /// The system identifier of the external subset.
    public var systemID: String?

    /// The notations that are declared, by name, the first declaration of each.
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
