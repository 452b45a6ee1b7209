/// The options for reading a document, and the limits beyond which it is refused.
///
/// The default limits allow what people write and stop what only attackers write. Passing one is an
/// ``XMLError`` of kind ``XMLError/Kind/limit``.
public struct XMLOptions: Hashable, Sendable {
  /// Whether names follow Namespaces in XML 1.0. If `false`, a colon is an ordinary character and
  /// no name has a namespace.
  public var namespaces = true

  /// Whether a document may have a document type declaration. Nothing external is ever read, and
  /// limits restrict what entities expand to. Even so, `false` is safer for formats without one,
  /// such as SOAP (SOAP 1.2 section 5). A declaration is then an ``XMLError`` of kind
  /// ``XMLError/Kind/documentType``.
  public var allowsDocumentTypes = true

  /// The size of the document in bytes, before it is transcoded. 1 GiB.
  public var maximumDocumentSize = 1 << 30

  /// The nesting of elements. 1,000.
  public var maximumDepth = 1_000

  /// The length of one name in bytes of UTF-8. 4,096.
  public var maximumNameLength = 4_096

  /// The attributes of one element, including defaults from the document type. 1,024.
  public var maximumAttributes = 1_024

  /// The nesting of entities. 64.
  public var maximumEntityDepth = 64

  /// The bytes that entities and attribute defaults may add in total. 32 MiB.
  public var maximumExpandedSize = 32 << 20

  /// The ratio of expansions to the document so far, checked once expansions exceed 1 MiB. 50.
  public var maximumExpansionRatio = 50

  /// Creates options with namespaces, document types and the default limits.
  public init() {}
}
