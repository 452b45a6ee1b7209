/// The options for reading a document.
public struct XMLOptions: Hashable, Sendable {
  /// The limits beyond which a document is refused.
  public var limits = XMLLimits()

  /// Whether names follow Namespaces in XML 1.0. If `false`, a colon is a letter like any other and
  /// no name has a namespace.
  public var namespaces = true

  /// Whether a document may have a document type declaration. Nothing external is ever read, and
  /// limits bound what entities expand to; still, formats without one, such as SOAP (SOAP 1.2
  /// section 5), are safer with `false`. A declaration is then an ``XMLError`` of kind
  /// ``XMLError/Kind/documentType``.
  public var allowsDocumentTypes = true

  /// Namespaces and document types on, default limits.
  public init() {}
}

/// The limits beyond which a document is refused.
///
/// The defaults allow what people write and stop what only attackers write. Passing a limit is an
/// ``XMLError`` of kind ``XMLError/Kind/limit``.
public struct XMLLimits: Hashable, Sendable {
  /// Bytes of the document as it arrives, before it is transcoded. 1 GiB.
  public var documentSize = 1 << 30

  /// Elements within elements. 1,000.
  public var depth = 1_000

  /// Bytes of one name in UTF-8. 4,096.
  public var nameLength = 4_096

  /// Attributes of one element, defaults from the document type included. 1,024.
  public var attributesPerElement = 1_024

  /// Entities within entities. 64.
  public var entityDepth = 64

  /// Bytes that entities and attribute defaults may add in total. 32 MiB.
  public var expandedSize = 32 << 20

  /// The ratio of expansions to the document so far, once expansions are larger than 1 MiB. 50.
  public var expansionRatio = 50

  /// Creates the default limits.
  public init() {}
}
