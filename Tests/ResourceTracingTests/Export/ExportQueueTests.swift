import Foundation
import ResourceLoading
import Testing

@testable import ResourceTracing

/// The state machine of an export, with room for three spans and batches of two.
struct ExportQueueTests {
  enum Step: Sendable {
    case add, timer, flush, shutDown
    case finish(Int, until: Int = 0)
  }

  @Test(arguments: [
    ([Step.add, .timer, .finish(1), .add], ["wait", "1", "-", "wait"]),
    ([.add, .add, .add, .finish(2), .timer], ["wait", "2", "-", "-", "1"]),
    ([.add, .flush, .add, .finish(1, until: 1), .timer], ["wait", "1", "-", "-", "1"]),
    ([.add, .flush, .add, .finish(1, until: 2)], ["wait", "1", "-", "1"]),
    ([.flush, .add, .flush, .flush, .timer], ["-", "wait", "1", "-", "-"]),
    ([.add, .add, .add, .add, .add, .add, .finish(2)], ["wait", "2", "-", "-", "-", "-", "2"]),
    ([.add, .shutDown, .add, .timer], ["wait", "-", "-", "1"]),
  ])
  func `a batch is exported when it is full, after the wait, or for a flush`(
    _ steps: [Step], _ actions: [String]
  ) throws {
    let url = try #require(URL(string: "https://example.org"))
    let span = TraceSpan(
      .load, HTTPFacts(.get(url)), context: .root(), parent: nil, start: .distantPast)
    var queue = ExportQueue(.init(capacity: 3, batch: 2))

    for (step, action) in zip(steps, actions) {
      let next: ExportQueue.Action
      switch step {
      case .add: next = queue.add(span)
      case .timer: next = queue.timerFired()
      case .flush: next = queue.flush()
      case .finish(let count, let until): next = queue.finish(count, rejected: 0, untilTaken: until)
      case .shutDown:
        queue.shutDown()
        next = .nothing
      }
      #expect(next.text == action)
    }
  }

  @Test func `of a batch no more than its spans are rejected`() {
    var queue = ExportQueue(.init())

    for rejected in [0, 1, 5] { _ = queue.finish(2, rejected: rejected, untilTaken: 0) }

    #expect(queue.counts.exported == 3 && queue.counts.rejected == 3)
  }
}

extension ExportQueue.Action {
  fileprivate var text: String {
    switch self {
    case .nothing: "-"
    case .wait: "wait"
    case .export(let spans): "\(spans.count)"
    }
  }
}
