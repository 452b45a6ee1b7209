/// The error of a promise that was told to follow itself, and so would have waited for ever.
public struct SelfResolution: Error, Sendable, Hashable {
  @usableFromInline init() {}
}

extension SelfResolution: CustomStringConvertible {
  /// What went wrong.
  public var description: String { "The promise was resolved with itself." }
}
