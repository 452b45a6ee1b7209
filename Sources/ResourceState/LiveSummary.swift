import Foundation
internal import ResourceLoading
import ResourcePrimitives

/// The state of a live resource without its value, for tools that show it.
struct LiveSummary: Sendable {
  var kind: Kind
  var request: Request
  /// The name of the type of its value.
  var valueType: String
  var hasValue: Bool
  var isLoading: Bool
  var isStale: Bool
  var error: (any Error)?
  var updated: Date?
  /// The number of observers and of callers that wait for the end of a load.
  var observers: Int
  /// Whether writes that haven't ended change it.
  var hasWrites: Bool
  /// The times of what happens on its own; `nil` for what doesn't.
  var becomesStale: Date?
  var reloads: Date?
  var isReleased: Date?

  enum Kind: Sendable { case resource, pages }
}

extension LiveResources {
  /// Describes at most `limit` resources and pages: those with observers first, in the order of
  /// their URLs. Reading them isn't observing. Queries show their resources.
  ///
  /// - Returns: The summaries, and the number of all.
  func summaries(atMost limit: Int) -> (first: [LiveSummary], count: Int) {
    let all = members.compactMap { $0.summary }
    let sorted = all.map { (summary: $0, url: $0.request.url.absoluteString) }.sorted {
      let isFirst = ($0.summary.observers > 0, $1.summary.observers > 0)
      return isFirst.0 == isFirst.1 ? $0.url < $1.url : isFirst.0
    }
    return (sorted.prefix(limit).map(\.summary), all.count)
  }
}

extension LiveEntry {
  var summary: LiveSummary? {
    let (now, date) = (clock.now(), clock.date())
    func time(_ moment: Duration?) -> Date? {
      moment.map { date.addingTimeInterval(($0 - now) / .seconds(1)) }
    }
    return LiveSummary(
      kind: .resource, request: key.request, valueType: "\(R.self)",
      hasValue: machine.value != nil, isLoading: machine.isLoading, isStale: machine.isStale,
      error: machine.error, updated: machine.updated, observers: observerCount,
      hasWrites: machine.hasWrites, becomesStale: time(machine.freshUntil),
      reloads: observerCount > 0 && !machine.isLoading ? time(machine.nextReload) : nil,
      isReleased: time(releaseTime))
  }
}
