import ResourceLoading

/// The entries of a recording, indexed by what the matchers compare, so that a request is compared
/// only with entries that may fit.
///
/// A stand-in fits any text, so the parts of a URL that contain one are left out of the key.
/// Entries with stand-ins in the same parts form a group, and a request is looked up in each group.
/// Recordings have few of them.
struct PlaybackIndex: Sendable {
  /// The positions of entries, in the order of the file.
  private(set) var buckets: [[Int]] = []
  private var places: [Group: [Key: Int]] = [:]
  private var literals: [Literal: Int] = [:]
  private let parts: [RequestMatcher.Part]

  private struct Group: Hashable {
    var isOriginOpen = false
    var segments: [Bool] = []
    var items: [Bool] = []
  }

  private struct Key: Hashable {
    var method: String?
    var origin: String?
    var segments: [String] = []
    var items: [String] = []
  }

  private struct Literal: Hashable {
    let url: String
    let authorization: String?

    init(_ request: HTTPArchive.Request) {
      (url, authorization) = (request.url, request.headers[.authorization])
    }
  }

  init(_ entries: [ComparedRequest], _ matchers: [RequestMatcher]) {
    parts = matchers.map(\.part)
    for (position, entry) in entries.enumerated() {
      let group = group(of: entry.url)
      let (key, literal) = (key(of: entry, in: group), Literal(entry.request))
      places[group, default: [:]][key] = add(position, to: places[group]?[key])
      literals[literal] = add(position, to: literals[literal])
    }
  }

  /// Adds an entry to a bucket, or to a new one, and returns the bucket.
  private mutating func add(_ position: Int, to bucket: Int?) -> Int {
    if let bucket {
      buckets[bucket].append(position)
    } else {
      buckets.append([position])
    }
    return bucket ?? buckets.count - 1
  }

  func buckets(for request: ComparedRequest) -> [Int] {
    places.compactMap { group, keys in
      guard
        !comparesURLs
          || group.segments.count == request.url.segments.count
            && group.items.count == request.url.items.count
      else { return nil }
      return keys[key(of: request, in: group)]
    }
  }

  /// Returns the bucket of the entries with exactly a request's URL and credential.
  func literalBucket(for request: HTTPArchive.Request) -> Int? { literals[Literal(request)] }

  private var comparesURLs: Bool { parts.contains(.url) || parts.contains(.target) }

  private func group(of url: ComparedURL) -> Group {
    guard comparesURLs else { return Group() }
    return Group(
      isOriginOpen: StandIn.isIn(url.origin), segments: url.segments.map(StandIn.isIn),
      items: url.items.map(StandIn.isIn))
  }

  private func key(of request: ComparedRequest, in group: Group) -> Key {
    var key = Key(method: parts.contains(.method) ? request.request.method : nil)
    guard comparesURLs else { return key }
    if parts.contains(.url), !group.isOriginOpen { key.origin = request.url.origin }
    key.segments = zip(request.url.segments, group.segments).map { $1 ? "" : $0 }
    key.items = zip(request.url.items, group.items).map { $1 ? "" : $0 }
    return key
  }
}

extension StandIn {
  fileprivate static func isIn(_ text: String) -> Bool { parts(between: text).count > 1 }
}
