import Foundation
import ResourceLoading
import Synchronization

/// Records the events of one exchange.
final class ExchangeLog: ExchangeReceiver {
  struct Record: Sendable {
    var heads: [ResponseHead] = []
    var body = Data()
    /// The ends, of which there should be one.
    var ends: [LoadError?] = []
    /// The number of events after an end.
    var lateCount = 0

    var failure: LoadError? { ends.first ?? nil }
  }

  private let state = Mutex(Record())
  private let ends = AsyncStream<Void>.makeStream()
  private let head: @Sendable () -> Void

  /// - Parameter head: Called for each head.
  init(_ head: @escaping @Sendable () -> Void = {}) { self.head = head }

  var record: Record { state.withLock(\.self) }

  func received(_ head: ResponseHead) {
    note {
      $0.heads.append(head)
      $0.body = Data()
    }
    self.head()
  }

  func received(_ chunk: Data) { note { $0.body += chunk } }

  func finished(_ failure: LoadError?) {
    note { $0.ends.append(failure) }
    ends.continuation.yield()
  }

  /// Stops the wait of ``end()``, without an end.
  func giveUp() { ends.continuation.yield() }

  private func note(_ change: (inout Record) -> Void) {
    state.withLock { record in
      if !record.ends.isEmpty { record.lateCount += 1 }
      change(&record)
    }
  }

  /// Waits for the first end or for a call that gives up.
  func end() async -> Record {
    for await _ in ends.stream { break }
    return record
  }
}
