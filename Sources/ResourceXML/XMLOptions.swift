/// How a document is read.
public struct XMLOptions: Hashable, Sendable {
  /// What a document may cost.
  public var limits = XMLLimits()

  /// Whether names are read by Namespaces in XML 1.0, and refused where they break it. When `false`, a
  /// colon is a letter like any other and no name has a namespace.
  public var namespaces = true

  /// Whether a document may have a document type declaration. Nothing external is ever read, and limits bound
  /// what entities expand to; but formats that have none, such as SOAP, are safer without (SOAP 1.2 section 5). When
  /// `false`, one is an ``XMLError`` of kind ``XMLError/Kind/documentType``.
  public var allowsDocumentTypes = true

  /// Namespaces and document types on, default limits.
  public init() {}
}
