import Foundation
import ResourceLoading

/// What came of one feed on one run.
struct FeedResult: Sendable {
  /// What was to be read.
  let source: Source

  /// What the library knows of it at the end.
  let kept: KeptFeed?

  /// What the new reading changed; `nil` if there was none.
  var change: Library.Change?

  /// Why the feed, or a further page of it, couldn't be read.
  var failure: (any Error)?

  /// Whether it wasn't tried.
  var isSkipped = false
}

extension FeedResult {
  /// How what is listed of a feed came to be.
  enum State: String, Sendable {
    /// It was read now.
    case fresh
    /// It couldn't be reached, or wasn't to be; what is listed was read before.
    case kept
    /// It couldn't be read, or not all of it.
    case failed
  }

  /// How what is listed of it came to be.
  var state: State {
    if change != nil, failure == nil { return .fresh }
    return kept?.read != nil && change == nil && (isSkipped || isUnreachable) ? .kept : .failed
  }

  /// The feed's own name for itself, or the source's.
  var name: String { source.name(titled: kept?.title) }

  /// Whether no server answered, as it is without a network.
  private var isUnreachable: Bool {
    guard let error = failure as? LoadError else { return false }
    return error.response == nil && [.connection, .timedOut].contains(error.kind)
  }
}

extension [FeedResult] {
  /// Whether nothing was read, and everything is there from before.
  var isOffline: Bool { !isEmpty && allSatisfy { $0.state == .kept } }
}
