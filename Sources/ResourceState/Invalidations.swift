import ResourceLoading
import ResourcePrimitives

/// A name for a group of resources that are invalidated together.
public struct LiveTag: RawRepresentable, ExpressibleByStringLiteral, Hashable, Sendable {
  /// The name.
  public let rawValue: String

  /// Creates a tag.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Creates a tag.
  public init(stringLiteral value: String) { rawValue = value }
}

/// The resources that an invalidation affects.
enum InvalidationScope: Hashable, Sendable {
  case key(LiveKey)
  case tag(LiveTag)
  /// A percent-encoded path and everything below it.
  case path(String)
  case all

  static func below(_ path: RequestPath) -> Self { .path(path.encoded.withLeadingSlash) }

  func contains(_ key: LiveKey, _ tags: Set<LiveTag>) -> Bool {
    switch self {
    case .key(let own): own == key
    case .tag(let tag): tags.contains(tag)
    case .path(let path): path.contains(path: key.path)
    case .all: true
    }
  }
}

/// Past invalidations. They apply to resources that weren't live at the time and may be in the
/// loader's cache.
struct Invalidations {
  private var times: [InvalidationScope: Duration] = [:]

  /// The maximum number of separate invalidations. Beyond it, everything counts as invalidated.
  private static let limit = 256

  mutating func add(_ scope: InvalidationScope, at now: Duration) {
    if scope == .all || (times.count >= Self.limit && times[scope] == nil) {
      times = [.all: now]
    } else {
      times[scope] = now
    }
  }

  func latest(for key: LiveKey, _ tags: Set<LiveTag>) -> Duration? {
    times.filter { $0.key.contains(key, tags) }.map(\.value).max()
  }
}
