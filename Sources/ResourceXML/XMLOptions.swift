/// How a document is read.
public struct XMLOptions: Hashable, Sendable {
  /// What a document may cost.
  public var limits = XMLLimits()

  /// Whether names are read by Namespaces in XML 1.0, and refused where they break it. When `false`, a
  /// colon is a letter like any other and no name has a namespace.
  public var namespaces = true

  /// Namespaces on, default limits.
  public init() {}
}
