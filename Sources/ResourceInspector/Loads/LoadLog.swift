import Foundation
import ResourceLoading
import Synchronization

/// Keeps the newest loads of all inspected clients, and counts all of them.
final class LoadLog: Sendable {
  private let limit: Int
  private let clock = ContinuousClock()
  private let start: ContinuousClock.Instant
  /// The date of ``start``.
  let date: Date
  private let state: Mutex<State>

  fileprivate struct State {
    /// The load with the number `id` is at `(id - 1) % limit`. It grows up to the limit.
    var records: [LoadRecord?] = []
    /// The numbers of the recorded loads, by client and by the load's number within it. Every event
    /// looks here, and a number is hashed much faster than a key.
    var ids: [[UInt64: Int]] = []
    var lastID = 0
    var change = 0
    var totals = LoadTotals()
    var budget: RecordingBudget
    /// The number of loads that were only counted.
    var unrecorded = 0
    var clients: [String] = []
    /// The names of secrets that clients and requests have added.
    var secretNames: Set<String> = []
  }

  /// Creates a log of at most `limit` loads.
  init(limit: Int) {
    self.limit = max(1, limit)
    start = clock.now
    date = Date()
    state = Mutex(State(budget: RecordingBudget(kept: self.limit)))
  }

  var now: Duration { start.duration(to: clock.now) }
}

extension LoadLog {
  /// Adds a client, and returns the observer of its loads.
  func observer(named name: String) -> @Sendable (LoadEvent) -> Void {
    let client = state.withLock { state in
      state.clients.append(name)
      state.ids.append([:])
      return state.clients.count - 1
    }
    return { [self] event in note(event, of: LoadRecord.Key(client: client, load: event.load)) }
  }

  func note(_ event: LoadEvent, of key: LoadRecord.Key) {
    guard case .started = event.kind else { return state.withLock { $0.note(event, key, limit) } }
    let start = now - event.elapsed
    let evicted = state.withLock { $0.begin(event, key, at: start, limit) }
    // A request may hold a value of the user's, which is released outside of the lock.
    withExtendedLifetime(evicted) {}
  }
}

extension LoadLog.State {
  /// Begins a record, and returns the one that makes room for it.
  fileprivate mutating func begin(
    _ event: LoadEvent, _ key: LoadRecord.Key, at start: Duration, _ limit: Int
  ) -> LoadRecord? {
    change += 1
    totals.note(event.kind)
    if let names = event.secretNames, !names.isSubset(of: secretNames) {
      secretNames.formUnion(names)
    }
    // The request is large: it is copied only for a record.
    guard budget.take(at: start), case .started(let request) = event.kind else {
      unrecorded += 1
      return nil
    }
    lastID += 1
    let slot = (lastID - 1) % limit
    if slot == records.count { records.append(nil) }
    let evicted = records[slot].take()
    if let evicted { forget(evicted) }
    ids[key.client][key.load] = lastID
    var record = LoadRecord(request, id: lastID, key: key, start: start)
    record.note(event)
    record.change = change
    records[slot] = record
    return evicted
  }

  fileprivate mutating func note(_ event: LoadEvent, _ key: LoadRecord.Key, _ limit: Int) {
    change += 1
    totals.note(event.kind)
    guard let id = ids[key.client][key.load] else { return }
    // One access in place: reading a member of an optional record copies the whole of it.
    if let ended = records[(id - 1) % limit]?.note(event, change: change) {
      totals.note(ended.end, of: ended.host)
    }
  }

  private mutating func forget(_ record: LoadRecord) {
    let key = record.key
    if ids[key.client][key.load] == record.id { ids[key.client][key.load] = nil }
  }
}

extension LoadLog {
  /// What has changed since an earlier state.
  struct Changes: Sendable {
    /// The loads that have changed, in the order of their beginnings.
    var records: [LoadRecord]
    /// The number of changed loads that were left out, the oldest ones.
    var omitted = 0
    /// The number of the last change.
    var change: Int
    /// The number of the oldest load that is kept.
    var oldest: Int
    var totals: LoadTotals
    var unrecorded: Int
    var clients: [String]
    var now: Duration
  }

  /// The number of the last change.
  var change: Int { state.withLock(\.change) }

  /// Returns the loads that changed after a change.
  ///
  /// - Parameters:
  ///   - change: The number of the change; 0 for all loads.
  ///   - limit: The most loads. The newest ones are returned.
  func changes(since change: Int = 0, atMost limit: Int = .max) -> Changes {
    let now = now
    return state.withLock { state in
      let oldest = max(1, state.lastID - self.limit + 1)
      var changes = Changes(
        records: [], change: state.change, oldest: oldest, totals: state.totals,
        unrecorded: state.unrecorded, clients: state.clients, now: now)
      guard state.change > change, state.lastID > 0 else { return changes }
      for id in stride(from: state.lastID, through: oldest, by: -1) {
        guard let record = state.records[(id - 1) % self.limit], record.change > change else {
          continue
        }
        if changes.records.count < limit {
          changes.records.append(record)
        } else {
          changes.omitted += 1
        }
      }
      changes.records.reverse()
      return changes
    }
  }

  /// Returns the loads with some numbers that are still kept.
  func records(_ ids: Set<Int>) -> [LoadRecord] {
    state.withLock { state in
      ids.sorted().compactMap { id in
        guard id > 0, id <= state.lastID, let record = state.records[(id - 1) % limit],
          record.id == id
        else { return nil }
        return record
      }
    }
  }

  /// Returns the number of a load in this log; `nil` if it isn't kept.
  func id(of key: LoadRecord.Key) -> Int? { state.withLock { $0.ids[key.client][key.load] } }
}

extension LoadLog {
  /// The names of secrets that clients and requests have added.
  var secretNames: Set<String> { state.withLock(\.secretNames) }

  /// The URLs of the loads that are kept.
  var urls: [URL] { changes().records.map(\.request.url) }
}
