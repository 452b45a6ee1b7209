internal import Foundation
internal import ResourceLoading
internal import Synchronization

/// Protects a cache from failures of its storage. A failure never fails a load, and responses that
/// should have been removed are neither used nor stored again.
final class FaultTolerantStorage: Sendable {
  private let storage: any ResponseStorage
  /// The maximum number of bytes in the body of a stored response.
  let maximumBodySize: Int
  private let state = Mutex(State())

  fileprivate struct State {
    var log = RemovalLog()
    /// The removals that are under way.
    var running: [CacheScope] = []
    /// The removals that the program requested or unsafe requests caused.
    var generations = URLGenerations()
    /// Removals that have failed.
    var pending = PendingRemovals()
    var clock = ClockSetbackDetector()
  }

  /// - Parameter maximumBodySize: In bytes.
  init(_ storage: any ResponseStorage, maximumBodySize: Int) {
    self.storage = storage
    self.maximumBodySize = maximumBodySize
  }
}

extension FaultTolerantStorage.State {
  fileprivate mutating func beginRemoval(_ scope: CacheScope) {
    running.append(scope)
    note(scope)
  }

  /// A load that began during the removal may have read what was being removed.
  fileprivate mutating func endRemoval(_ scope: CacheScope) {
    if let index = running.firstIndex(of: scope) { running.remove(at: index) }
    note(scope)
  }

  fileprivate func mayStore(
    _ response: StoredResponse, for key: CacheKey, since mark: RemovalMark
  ) -> Bool {
    !log.covers(response, under: key, since: mark)
      && !running.contains { $0.covers(response, under: key) }
  }

  private mutating func note(_ scope: CacheScope) {
    log.note(scope)
    switch scope {
    // The response has been replaced or doesn't fit.
    case .entry: break
    case .url(let url): generations.advance(url)
    // Which URLs have responses in a group isn't known.
    case .groups, .partition, .credentials, .everything: generations.advanceAll()
    }
  }
}

extension FaultTolerantStorage {
  /// Returns the number of the last removal of a URL.
  func generation(of url: URL) -> Int { state.withLock { $0.generations.generation(of: url) } }
}

/// A load's positions in the histories of removals.
struct LoadMark: Sendable {
  /// The position at its beginning, in its own cache's history.
  let beginning: RemovalMark
  /// The position when its request was sent, in the storage's history, which other caches may
  /// share; `nil` if the storage failed.
  var request: RemovalMark?
  /// When ``request`` was set, by the client's clock.
  var moment = Duration.zero
  /// The date from which the clock was set back; `nil` if the cache hasn't noticed.
  let setBackFrom: Date?
}

extension LoadMark {
  /// Returns whether a response is to a request from before the mark, which this load shared. The
  /// histories since the mark don't contain removals from before it.
  func isLater(than response: Response) -> Bool {
    response.provenance.map { $0.start < moment } ?? false
  }
}

extension FaultTolerantStorage {
  /// Begins a load that may store a response.
  ///
  /// - Parameter moment: The current time.
  func begin(_ moment: Next.Timestamp) -> LoadMark {
    state.withLock { state in
      state.clock.note(moment)
      return LoadMark(beginning: state.log.mark, setBackFrom: state.clock.setBackFrom)
    }
  }

  /// Returns the mark of a load that is about to send its request.
  func mark(_ mark: LoadMark, _ next: Next) async -> LoadMark {
    var mark = mark
    do { mark.request = try await storage.mark() } catch {
      if !Task.isCancelled { next.report(.cacheFailed(error)) }
    }
    mark.moment = next.now.uptime
    return mark
  }

  /// Returns the variants of a response without waiting; `nil` if ``responses(for:_:)`` has to be
  /// called.
  func immediateResponses(for key: CacheKey) -> [StoredResponse]? {
    guard state.withLock({ $0.pending.covering(key).isEmpty }) else { return nil }
    return storage.immediateResponses(for: key)
  }

  /// Returns the variants of a response. If the storage fails, the failure is reported and there
  /// are none.
  func responses(
    for key: CacheKey, _ report: (LoadEvent.Kind) -> Void
  ) async throws -> [StoredResponse] {
    do {
      try await retryRemovals(for: key)
      return try await storage.responses(for: key)
    } catch {
      try Task.checkCancellation()
      report(.cacheFailed(error))
      return []
    }
  }

  /// Stores a response unless it is too large or has been removed since the load began.
  ///
  /// - Returns: Whether the storage was called, and didn't fail.
  @discardableResult
  func store(
    _ response: StoredResponse, for key: CacheKey, since mark: LoadMark,
    _ report: (LoadEvent.Kind) -> Void
  ) async -> Bool {
    guard response.response.body.count <= maximumBodySize else {
      await drop(.entry(key), report)
      return false
    }
    guard let request = mark.request else {
      // The failure has been reported. The response to replace may still be stored.
      state.withLock { $0.pending.add(.entry(key)) }
      return false
    }
    do {
      try await retryRemovals(for: key)
      guard state.withLock({ $0.mayStore(response, for: key, since: mark.beginning) })
      else { return false }
      try await storage.store(response, for: key, since: request)
      return true
    } catch {
      // The response to replace may still be stored.
      state.withLock { $0.pending.add(.entry(key)) }
      if !Task.isCancelled { report(.cacheFailed(error)) }
      return false
    }
  }

  /// Asks for the right to request a response. A failure of the storage is reported, and the
  /// response is then requested.
  func lease(
    for key: CacheKey, variant: String, _ report: (LoadEvent.Kind) -> Void
  ) async throws -> ResponseLease {
    do { return try await storage.lease(for: key, variant: variant) } catch {
      try Task.checkCancellation()
      report(.cacheFailed(error))
      return .notNeeded
    }
  }

  func endLease(
    _ token: String, for key: CacheKey, variant: String, _ outcome: ResponseLease.Outcome
  ) {
    storage.endLease(token, for: key, variant: variant, outcome)
  }

  /// Removes outdated responses. A failure of the storage is reported.
  func drop(_ scope: CacheScope, _ report: (LoadEvent.Kind) -> Void) async {
    do { try await remove(scope) } catch {
      if !Task.isCancelled { report(.cacheFailed(error)) }
    }
  }

  /// Removes responses, and keeps running loads from storing theirs. If the storage fails, they
  /// aren't used until they have been removed.
  func remove(_ scope: CacheScope) async throws {
    state.withLock { $0.beginRemoval(scope) }
    defer { state.withLock { $0.endRemoval(scope) } }
    do {
      try await storage.remove(scope)
      state.withLock { $0.pending.remove(scope) }
    } catch {
      state.withLock { $0.pending.add(scope) }
      throw error
    }
  }
}

extension FaultTolerantStorage {
  /// Lists the responses; `nil` if the storage can't.
  func list(_ request: ResponseListRequest) async throws -> ResponseList? {
    guard var list = try await (storage as? any ListedResponseStorage)?.list(request) else {
      return nil
    }
    state.withLock { state in
      list.setBackFrom = state.clock.setBackFrom
      list.failedRemovals = state.pending.count
    }
    return list
  }
}

extension FaultTolerantStorage {
  /// Repeats failed removals that cover a key.
  private func retryRemovals(for key: CacheKey) async throws {
    for scope in state.withLock({ $0.pending.covering(key) }) {
      try await storage.remove(scope)
      state.withLock { $0.pending.remove(scope) }
    }
  }
}

/// Removals that have failed. The responses must not be used until they have been repeated
/// successfully.
struct PendingRemovals {
  /// So many that an outage of a storage which other processes share seldom empties it.
  private static let limit = 4096

  private var scopes: Set<CacheScope> = []
  /// Removals of groups, which may include any response.
  private var groups: Set<CacheScope> = []
}

extension PendingRemovals {
  var count: Int { scopes.count + groups.count }

  mutating func add(_ scope: CacheScope) {
    if case .groups = scope { groups.insert(scope) } else { scopes.insert(scope) }
    // After this many failures, the storage is emptied.
    if scopes.count + groups.count > Self.limit { (scopes, groups) = ([.everything], []) }
  }

  /// Returns the removals that must succeed before a key may be used.
  func covering(_ key: CacheKey) -> [CacheScope] {
    guard !scopes.isEmpty || !groups.isEmpty else { return [] }
    let candidates: [CacheScope] = [
      .entry(key), .url(key.url), .partition(key.partition), .everything,
    ]
    return (key.partition == .anonymous ? candidates : candidates + [.credentials])
      .filter(scopes.contains) + groups
  }

  mutating func remove(_ scope: CacheScope) {
    if scope == .everything { (scopes, groups) = ([], []) }
    scopes.remove(scope)
    groups.remove(scope)
  }
}

/// Detects when the system's clock is set back. From then on, the ages of stored responses are too
/// small.
struct ClockSetbackDetector: Sendable {
  private var last: Next.Timestamp?
  /// The latest date from which the clock was set back.
  private(set) var setBackFrom: Date?

  mutating func note(_ moment: Next.Timestamp) {
    defer { last = moment }
    // Several clients can share a cache, and their uptimes may have different origins.
    guard let last, moment.uptime >= last.uptime else { return }
    let expected = last.date.addingTimeInterval((moment.uptime - last.uptime) / .seconds(1))
    guard expected.since(moment.date) > .seconds(1) else { return }
    setBackFrom = max(setBackFrom ?? expected, expected)
  }
}
