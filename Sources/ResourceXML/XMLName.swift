/// The name of an element or attribute.
public struct XMLName: Hashable, Sendable {
  /// The name as the document writes it, prefix included: `media:title`.
  public var qualified: String

  /// The part behind the colon, or the whole: `title`.
  public var local: String

  /// The URI that the prefix (or, for elements, its absence) is bound to; `nil` when it is bound to none.
  public var namespace: String?

  /// Makes a name of its parts; `qualified` and `local` are the same for a name without a prefix.
  public init(qualified: String, local: String? = nil, namespace: String? = nil) {
    self.qualified = qualified
    self.local = local ?? qualified
    self.namespace = namespace
  }

  /// The part before the colon, `nil` when there is none.
  public var prefix: String? {
    guard qualified.utf8.count > local.utf8.count else { return nil }
    return String(qualified.dropLast(local.count + 1))
  }
}

extension XMLName: CustomStringConvertible {
  /// The name as the document writes it.
  public var description: String { qualified }
}
