import ResourceLoading
import ResourcePrimitives

/// When the value of a resource becomes stale.
public enum LiveFreshness: Sendable, Hashable {
  /// After the freshness lifetime of the response (RFC 9111 section 4.2). A response without one is
  /// stale at once.
  case http
  /// After this time since it was loaded.
  case duration(Duration)
  /// Only when it is invalidated.
  case untilInvalidated
}

/// How a live resource is kept up to date, and how long it is kept.
public struct LiveOptions: Sendable, Hashable {
  /// When the value becomes stale. A stale value is kept until it is loaded again, for the next
  /// observer or after a signal.
  public var freshness = LiveFreshness.http

  /// The time from the end of a load to the start of the next one while the resource is observed;
  /// `nil` for no further loads.
  public var interval: Duration?

  /// How long the state is kept once the resource is neither held nor observed. By default five
  /// minutes.
  public var grace = Duration.seconds(300)

  /// Whether a load is cancelled when the last observer leaves. If not, its value is kept for the
  /// grace time.
  public var cancelsWhenUnobserved = true

  /// The time after a load in which a new observer or a signal doesn't start another one.
  /// Invalidated resources and explicit reloads don't wait. By default two seconds.
  public var deduplication = Duration.seconds(2)

  /// Creates the default options.
  public init() {}
}

extension LiveFreshness {
  fileprivate var countable: LiveFreshness {
    if case .duration(let duration) = self { .duration(duration.countable) } else { self }
  }
}

extension LiveOptions {
  /// The options with durations that can be added to any time.
  var countable: LiveOptions {
    var options = self
    options.freshness = freshness.countable
    options.interval = interval?.countable
    options.grace = grace.countable
    options.deduplication = deduplication.countable
    return options
  }
}
