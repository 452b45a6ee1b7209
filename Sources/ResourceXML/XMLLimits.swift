/// What a document may cost before it is refused.
///
/// The defaults let through whatever people write and stop what only attackers write. A passed limit
/// is an ``XMLError`` of kind ``XMLError/Kind/limit``.
public struct XMLLimits: Hashable, Sendable {
  /// The bytes of the document as they come, before they are transcoded. 1 GiB.
  public var documentSize = 1 << 30

  /// Elements within elements. 1,000.
  public var depth = 1_000

  /// Bytes of one name in UTF-8. 4,096.
  public var nameLength = 4_096

  /// Attributes of one element, defaults from the document type included. 1,024.
  public var attributesPerElement = 1_024

  /// Entities within entities. 64.
  public var entityDepth = 64

  /// Bytes that entities and attribute defaults may add in all. 32 MiB.
  public var expandedSize = 32 << 20

  /// How many times larger than the document so far the expansions may be, once they are larger than
  /// 1 MiB. 50.
  public var expansionRatio = 50

  /// The limits described at each property.
  public init() {}
}
