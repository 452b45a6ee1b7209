/// What a sequence of pages may do.
public struct PagingOptions: Sendable, Hashable {
  /// How many pages are loaded at most; `nil` for as many as there are.
  public var limit: Int?

  /// Whether a next page may be at another origin (RFC 6454: scheme, host and port) than the one that was
  /// asked before. If so, it is asked without credentials and cookies of the request, and never by http after
  /// https. Otherwise the sequence ends with an error there.
  public var allowsOtherOrigins = false

  /// Whether a page is loaded while the one before is being worked on.
  public var readsAhead = true

  /// Loads all pages of one origin, reading ahead.
  public init() {}
}
