/// What came of reading one source.
struct Reading: Sendable {
  /// What was to be read.
  let source: Source

  /// The feed with as many of its pages as were needed; `nil` if not even the first could be read.
  var feed: Feed?

  /// How many pages of it were read.
  var pages = 1

  /// Why the feed, or a further page of it, couldn't be read.
  var failure: (any Error)?
}

extension Reading {
  /// The feed's own name for itself, or the source's.
  var name: String { feed?.title ?? source.name }
}
