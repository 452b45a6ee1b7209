/// The options for reading a document, and the limits beyond which it is refused.
///
/// The default limits allow what people write and stop what only attackers write. Passing one is an
/// ``XMLError`` of kind ``XMLError/Kind/limit``.
public struct XMLOptions: Hashable, Sendable {
  /// Whether names follow Namespaces in XML 1.0. If `false`, a colon is a letter like any other and
  /// no name has a namespace.
  public var namespaces = true

  /// Whether a document may have a document type declaration. Nothing external is ever read, and
  /// limits bound what entities expand to; still, formats without one, such as SOAP (SOAP 1.2
  /// section 5), are safer with `false`. A declaration is then an ``XMLError`` of kind
  /// ``XMLError/Kind/documentType``.
  public var allowsDocumentTypes = true

  /// Bytes of the document as it arrives, before it is transcoded. 1 GiB.
  public var maximumDocumentSize = 1 << 30

  /// Elements within elements. 1,000.
  public var maximumDepth = 1_000

  /// Bytes of one name in UTF-8. 4,096.
  public var maximumNameLength = 4_096

  /// Attributes of one element, defaults from the document type included. 1,024.
  public var maximumAttributes = 1_024

  /// Entities within entities. 64.
  public var maximumEntityDepth = 64

  /// Bytes that entities and attribute defaults may add in total. 32 MiB.
  public var maximumExpandedSize = 32 << 20

  /// The ratio of expansions to the document so far, once expansions are larger than 1 MiB. 50.
  public var maximumExpansionRatio = 50

  /// Namespaces and document types on, default limits.
  public init() {}
}
