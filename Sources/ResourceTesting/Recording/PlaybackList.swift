import Foundation
public import ResourceLoading
import Synchronization

/// The entries of a recording that answer requests, each once, in order or repeatedly.
final class PlaybackList: Sendable {
  let archive: HTTPArchive
  private let matchers: [RequestMatcher]
  private let order: PlaybackTransport.Order
  /// The number of requests that each entry has answered.
  private let uses: Mutex<[Int]>

  init(_ archive: HTTPArchive, _ matchers: [RequestMatcher], _ order: PlaybackTransport.Order) {
    (self.archive, self.matchers, self.order) = (archive, matchers, order)
    uses = Mutex([Int](repeating: 0, count: archive.entries.count))
  }

  /// Whether the body of a request decides about its answer.
  var needsBodies: Bool { matchers.contains(where: \.needsBody) }

  /// The entries that have answered nothing.
  var unplayed: [HTTPArchive.Entry] {
    zip(archive.entries, uses.withLock { $0 }).filter { $1 == 0 }.map(\.0)
  }

  /// Returns the entry that answers a request.
  ///
  /// - Throws: `LoadError` of kind `notRecorded` if there is none.
  func take(for request: HTTPArchive.Request) throws(LoadError) -> HTTPArchive.Entry {
    let fitting = archive.entries.indices.filter { index in
      let recorded = archive.entries[index].request
      return matchers.allSatisfy { $0.difference(request, recorded) == nil }
    }
    let index = uses.withLock { uses -> Int? in
      guard let index = choice(among: fitting, for: request, uses) else { return nil }
      uses[index] += 1
      return index
    }
    guard let index else { throw missing(request, fitting) }
    return archive.entries[index]
  }

  private func choice(
    among fitting: [Int], for request: HTTPArchive.Request, _ uses: [Int]
  ) -> Int? {
    let unused = fitting.filter { uses[$0] == 0 }
    switch order {
    case .inOrder:
      let next = uses.firstIndex(of: 0)
      return unused.first == next ? next : nil
    case .once: return first(unused, request)
    case .repeatedly: return first(unused, request) ?? fitting.last
    }
  }

  /// The first one, unless stand-ins fit a later one literally, as those of an earlier response do.
  private func first(_ indices: [Int], _ request: HTTPArchive.Request) -> Int? {
    indices.first { index in
      let recorded = archive.entries[index].request
      return recorded.url == request.url
        && recorded.headers[.authorization] == request.headers[.authorization]
    } ?? indices.first
  }

  private func differences(
    _ request: HTTPArchive.Request, _ recorded: HTTPArchive.Request
  ) -> [String] {
    matchers.compactMap { $0.difference(request, recorded) }
  }
}

// MARK: - Requests that aren't recorded

extension PlaybackList {
  private func missing(_ request: HTTPArchive.Request, _ fitting: [Int]) -> LoadError {
    var reason: String
    if order == .inOrder, let next = uses.withLock({ $0.firstIndex(of: 0) }) {
      let recorded = archive.entries[next].request
      let differing = differences(request, recorded).joined(separator: ", and ")
      reason =
        "the next of the recording's entries, number \(next + 1), \(recorded), doesn't answer \(request): \(differing)"
    } else if !fitting.isEmpty {
      let count = fitting.count == 1 ? "once" : "\(fitting.count) times"
      reason = "the recording answers \(request) \(count), and has done so"
    } else if let nearest = nearest(to: request) {
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

  /// The entry in which the fewest things differ, and the most of the URL's beginning and end doesn't.
  private func nearest(to request: HTTPArchive.Request) -> Int? {
    let url = request.url.utf8
    let scores = archive.entries.map { entry in
      let recorded = entry.request.url.utf8
      let start = zip(recorded, url).prefix { $0 == $1 }.count
      let end = zip(recorded.reversed(), url.reversed()).prefix { $0 == $1 }.count
      return (-differences(request, entry.request).count, start + end)
    }
    return scores.indices.max { scores[$0] < scores[$1] }
  }
}

extension LoadError.Kind {
  /// A request isn't in the recording that is played, or its answer isn't whole there.
  public static let notRecorded = LoadError.Kind(rawValue: "notRecorded")
}
