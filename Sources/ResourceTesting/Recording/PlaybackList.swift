import Foundation
public import ResourceLoading
import Synchronization

/// The entries of a recording, which answer requests once, in order or repeatedly.
///
/// A request is looked up by its method and URL, and compared in full with the entries found, so
/// playing a recording takes time in proportion to its entries. Callers' matchers are never called
/// under the lock.
final class PlaybackList: Sendable {
  let archive: HTTPArchive
  private let matchers: [RequestMatcher]
  private let order: PlaybackTransport.Order
  private let requests: [ComparedRequest]
  private let index: PlaybackIndex
  private let uses: Mutex<PlaybackUses>

  init(_ archive: HTTPArchive, _ matchers: [RequestMatcher], _ order: PlaybackTransport.Order) {
    (self.archive, self.matchers, self.order) = (archive, matchers, order)
    requests = archive.entries.map { ComparedRequest($0.request) }
    index = PlaybackIndex(requests, matchers)
    uses = Mutex(PlaybackUses(entries: requests.count, buckets: index.buckets.count))
  }

  var needsBodies: Bool { matchers.contains(where: \.needsBody) }

  var unplayed: [HTTPArchive.Entry] {
    zip(archive.entries, uses.withLock { $0.isUsed }).filter { !$1 }.map(\.0)
  }

  /// Returns the entry that answers a request; `nil` if there is none.
  func take(for request: HTTPArchive.Request) -> HTTPArchive.Entry? {
    position(for: ComparedRequest(request)).map { archive.entries[$0] }
  }

  private func position(for request: ComparedRequest) -> Int? {
    if order == .inOrder { return takeNext(for: request) }
    // The first entry that fits, unless a later one has exactly the same stand-ins, as in a request
    // with the token of an earlier response.
    let literal = index.literalBucket(for: request.request)
    if let position = takeFirst(in: literal.map { [$0] } ?? [], for: request) { return position }
    let buckets = index.buckets(for: request)
    if let position = takeFirst(in: buckets, for: request) { return position }
    return order == .repeatedly ? last(in: buckets, for: request) : nil
  }

  private func takeNext(for request: ComparedRequest) -> Int? {
    while let next = uses.withLock({ $0.next }), fits(request, next) {
      if uses.withLock({ $0.take(next) }) { return next }
    }
    return nil
  }

  private func takeFirst(in buckets: [Int], for request: ComparedRequest) -> Int? {
    var cursors = uses.withLock { uses in
      buckets.map { (bucket: $0, place: uses.starts[$0]) }
    }
    while let position = uses.withLock({ $0.advance(&cursors, in: index.buckets) }) {
      if fits(request, position), uses.withLock({ $0.take(position) }) { return position }
    }
    return nil
  }

  private func last(in buckets: [Int], for request: ComparedRequest) -> Int? {
    buckets.compactMap { bucket in index.buckets[bucket].last { fits(request, $0) } }.max()
  }

  private func fits(_ request: ComparedRequest, _ position: Int) -> Bool {
    matchers.allSatisfy { $0.fits(request, requests[position]) }
  }
}

struct PlaybackUses: Sendable {
  private(set) var isUsed: [Bool]
  /// The number of used entries at the beginning of each bucket.
  private(set) var starts: [Int]
  private var first = 0

  init(entries: Int, buckets: Int) {
    isUsed = Array(repeating: false, count: entries)
    starts = Array(repeating: 0, count: buckets)
  }

  var next: Int? { first < isUsed.count ? first : nil }

  /// Marks an entry as used; returns `false` if it was used already.
  mutating func take(_ position: Int) -> Bool {
    guard !isUsed[position] else { return false }
    isUsed[position] = true
    while first < isUsed.count, isUsed[first] { first += 1 }
    return true
  }

  /// Moves the cursors past the next unused entry, in the order of the file, and returns it.
  mutating func advance(_ cursors: inout [(bucket: Int, place: Int)], in buckets: [[Int]]) -> Int? {
    var nearest: (cursor: Int, position: Int)?
    for index in cursors.indices {
      let (bucket, start) = cursors[index]
      var place = start
      while place < buckets[bucket].count, isUsed[buckets[bucket][place]] { place += 1 }
      if starts[bucket] == start { starts[bucket] = place }
      cursors[index].place = place
      guard place < buckets[bucket].count else { continue }
      let position = buckets[bucket][place]
      if nearest.map({ position < $0.position }) ?? true { nearest = (index, position) }
    }
    guard let nearest else { return nil }
    cursors[nearest.cursor].place += 1
    return nearest.position
  }
}

extension PlaybackList {
  func missing(_ request: HTTPArchive.Request) -> LoadError {
    let compared = ComparedRequest(request)
    let fitting = index.buckets(for: compared).flatMap { index.buckets[$0] }
      .filter { fits(compared, $0) }
    var reason: String
    if order == .inOrder, let next = uses.withLock({ $0.next }) {
      let recorded = archive.entries[next].request
      let differing = differences(request, recorded).joined(separator: ", and ")
      reason =
        "the next entry of the recording, number \(next + 1), \(recorded), doesn't answer \(request): \(differing)"
    } else if !fitting.isEmpty {
      let count = fitting.count == 1 ? "once" : "\(fitting.count) times"
      reason = "the recording answers \(request) only \(count)"
    } else if let nearest = nearest(to: compared) {
      let recorded = archive.entries[nearest].request
      let differing = differences(request, recorded).joined(separator: ", and ")
      reason =
        "the recording has no answer to \(request); the nearest of its \(archive.entries.count) entries is number \(nearest + 1), \(recorded), where \(differing)"
    } else {
      reason = "the recording has no answer to \(request): it is empty"
    }
    if let comment = archive.comment { reason += ". It says: \(comment)" }
    return LoadError(.notRecorded, reason)
  }

  /// The entry with the fewest differences and, among those, the longest common beginning and end
  /// of the URL.
  private func nearest(to request: ComparedRequest) -> Int? {
    let url = request.request.url.utf8
    let scores = requests.map { entry in
      let recorded = entry.request.url.utf8
      let start = zip(recorded, url).prefix { $0 == $1 }.count
      let end = zip(recorded.reversed(), url.reversed()).prefix { $0 == $1 }.count
      return (matchers.count { $0.fits(request, entry) }, start + end)
    }
    return scores.indices.max { scores[$0] < scores[$1] }
  }

  private func differences(
    _ request: HTTPArchive.Request, _ recorded: HTTPArchive.Request
  ) -> [String] {
    matchers.compactMap { $0.difference(request, recorded) }
  }
}

extension LoadError.Kind {
  /// The request isn't in the recording that is played, or its response isn't complete there.
  public static let notRecorded = LoadError.Kind(rawValue: "notRecorded")
}
