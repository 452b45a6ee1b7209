import Foundation
import ResourceLoading

/// How a load uses the cache.
enum LoadMode: Sendable, Hashable {
  /// Reads what is stored, however old, without the network.
  case stored
  /// Loads what isn't fresh.
  case fresh
  /// Asks the server.
  case server
}

/// The effects of an event, to be carried out in this order: cancelling, starting, resuming those who wait.
struct LiveEffects: Sendable {
  /// Whether the load under way is cancelled.
  var cancels = false
  /// The load to start.
  var starts: LoadMode?
  /// The outcome for those who wait for the end of a load; `nil` while they wait on.
  var ended: Result<Void, any Error>?
}

/// The result of a load.
struct LoadedValue<R: Sendable>: Sendable {
  var value: R
  /// The time for which it is fresh from now on, as HTTP says.
  var freshness = Duration.zero
  /// The time since the server sent or confirmed it.
  var age = Duration.zero
  /// Whether the server was asked.
  var isFromServer = true
  /// Why the server couldn't be asked, if a stale response was used for that reason.
  var failure: (any Error)?
  /// A hash of the response, for values that can't be compared.
  var fingerprint: [UInt8]?
}

/// The rules of one live resource, as a value: events in, effects out. It has no clock and starts nothing.
///
/// A value consists of a base, which a load or the program has set, and of changes over it: those of writes that are under
/// way, and later ones. A write that succeeds makes its changes part of the base, one that fails takes them away.
struct LiveMachine<R: Sendable> {
  private let rules: LiveRules
  private(set) var value: R?
  private(set) var error: (any Error)?
  private(set) var isStale = false
  private(set) var updated: Date?
  private(set) var progress: TransferProgress?
  /// The number of the load under way.
  private(set) var load: UInt32?
  /// The parts that have changed since ``takeChanges()``.
  private var changed: LiveParts = []

  private var base: R?
  private var fingerprint: [UInt8]?
  private var changes: [Change] = []
  private var writes: [UInt64] = []
  private var loadCount: UInt32 = 0
  /// The time at which the value becomes stale; `nil` for never, or if it is stale already.
  @CompactTime private var freshUntil: Duration?
  /// The time at which the last load ended.
  @CompactTime private var lastEnd: Duration?
  /// The stored response is older than this time if it mustn't count as fresh.
  @CompactTime private var invalidation: Duration?
  /// Whether the next load has to ask the server.
  private var isInvalidated = false
  /// Whether another load follows the one under way, which began too early.
  private var isFollowed = false
  /// Whether the load under way has to ask the server.
  private var needsServer = false
  private var hasReadStored: Bool

  /// A change over the base.
  struct Change {
    /// The write that the change belongs to; `nil` once it is permanent.
    var write: UInt64?
    let apply: (inout R?) -> Void
  }

  /// - Parameters:
  ///   - rules: The options.
  ///   - readsStored: Whether a stored response is read first.
  ///   - invalidation: The last time at which the resource was invalidated before.
  init(_ rules: LiveRules, readsStored: Bool, invalidation: Duration?) {
    self.rules = rules
    self.invalidation = invalidation
    isInvalidated = invalidation != nil
    hasReadStored = !readsStored
  }

  var options: LiveOptions { rules.options }

  var isLoading: Bool { load != nil }

  var hasWrites: Bool { !writes.isEmpty }

  var state: LiveState<R> {
    LiveState(
      value: value, error: error, isLoading: isLoading, isStale: isStale, updated: updated,
      progress: progress)
  }

  /// Returns the parts that have changed since the last call.
  mutating func takeChanges() -> LiveParts {
    defer { changed = [] }
    return changed
  }

  /// The time until which an observer needs no load, since there is a fresh value; `nil` if there is none.
  var restsUntil: Duration? {
    guard value != nil, !isStale, !isInvalidated else { return nil }
    return freshUntil ?? .seconds(Int64.max)
  }

  /// The next time at which something happens by itself; `nil` if nothing does.
  ///
  /// - Parameter isObserved: Whether the resource has observers.
  func deadline(isObserved: Bool) -> Duration? {
    let waits = isObserved && load == nil && writes.isEmpty
    let reload = waits ? interval.flatMap { pause in lastEnd.map { $0 + pause } } : nil
    return [freshUntil, reload].compactMap(\.self).min()
  }
}

// MARK: - Observers and time

extension LiveMachine {
  /// Loads the resource for a new observer, if that is due.
  mutating func observe(at now: Duration) -> LiveEffects {
    expire(at: now)
    return isDue(at: now) ? start() : LiveEffects()
  }

  /// Loads for a caller who waits; a load under way is joined.
  mutating func want() -> LiveEffects {
    load == nil && writes.isEmpty ? start() : LiveEffects()
  }

  /// Cancels the load under way after the last observer has left, if the options say so.
  mutating func leave() -> LiveEffects {
    guard load != nil, options.cancelsWhenUnobserved else { return LiveEffects() }
    stop()
    return LiveEffects(cancels: true)
  }

  /// Loads after a signal, such as that the app is in the foreground or the network is back, if that is due.
  mutating func signal(at now: Duration, isObserved: Bool) -> LiveEffects {
    expire(at: now)
    return isObserved && isDue(at: now) ? start() : LiveEffects()
  }

  /// Does what is due at the time that ``deadline(isObserved:)`` returned.
  mutating func tick(at now: Duration, isObserved: Bool) -> LiveEffects {
    expire(at: now)
    guard isObserved, load == nil, writes.isEmpty, let interval, let lastEnd,
      now >= lastEnd + interval
    else { return LiveEffects() }
    return start(.server)
  }

  /// Loads a new value from the server.
  mutating func reload() -> LiveEffects {
    needsServer = true
    guard load == nil, writes.isEmpty else { return LiveEffects() }
    return start(.server)
  }

  /// Marks the value as stale, and loads another one if the resource is observed.
  mutating func invalidate(at now: Duration, isObserved: Bool) -> LiveEffects {
    markInvalid(at: now)
    guard load == nil else {
      isFollowed = true
      return LiveEffects()
    }
    return isObserved && writes.isEmpty ? start(.server) : LiveEffects()
  }

  /// Forgets everything.
  mutating func clear() -> LiveEffects {
    let wasLoading = load != nil
    if wasLoading { stop() }
    (base, fingerprint, changes, writes) = (nil, nil, [], [])
    show(nil)
    set(error: nil)
    set(updated: nil)
    set(isStale: false)
    (freshUntil, lastEnd, invalidation) = (nil, nil, nil)
    (isInvalidated, needsServer) = (false, false)
    return LiveEffects(cancels: wasLoading, ended: .failure(CancellationError()))
  }

  private var interval: Duration? { options.interval.flatMap { $0 > .zero ? $0 : nil } }

  /// Whether a new observer, or a signal, loads the resource.
  private func isDue(at now: Duration) -> Bool {
    guard load == nil, writes.isEmpty else { return false }
    if isInvalidated { return true }
    guard value == nil || isStale else { return false }
    return lastEnd.map { now - $0 >= options.deduplication } ?? true
  }

  private mutating func expire(at now: Duration) {
    if let freshUntil, now >= freshUntil { becomeStale() }
  }

  private mutating func markInvalid(at now: Duration) {
    (isInvalidated, invalidation) = (true, now)
    becomeStale()
  }
}

// MARK: - Loads

extension LiveMachine {
  private mutating func start(_ mode: LoadMode? = nil) -> LiveEffects {
    number()
    changed.insert(.isLoading)
    isFollowed = false
    if mode == .server { needsServer = true }
    guard value == nil, !hasReadStored else { return LiveEffects(starts: networkMode) }
    return LiveEffects(starts: .stored)
  }

  /// Gives the load a new number, so that the end of an earlier one is ignored.
  private mutating func number() {
    loadCount &+= 1
    load = loadCount
  }

  private var networkMode: LoadMode {
    isInvalidated || needsServer || options.freshness != .http ? .server : .fresh
  }

  private mutating func stop() {
    load = nil
    changed.insert(.isLoading)
    (needsServer, isFollowed) = (false, false)
    set(progress: nil)
  }

  /// Takes the stored value, if there is one, and goes on to the network if it isn't fresh.
  mutating func readStored(
    _ id: UInt32, _ loaded: LoadedValue<R>?, at now: Duration, date: Date
  ) -> LiveEffects {
    guard load == id else { return LiveEffects() }
    hasReadStored = true
    guard let loaded else { return LiveEffects(starts: networkMode) }
    // A loader without a cache has asked the server.
    if loaded.isFromServer { return finish(id, loaded, at: now, date: date) }
    if let invalidation, now - loaded.age > invalidation, !isFollowed { isInvalidated = false }
    take(loaded, at: now, date: date)
    guard isStale || isInvalidated || needsServer else {
      return end(.success(()), at: now)
    }
    return LiveEffects(starts: networkMode)
  }

  /// Takes the value of a load.
  mutating func finish(
    _ id: UInt32, _ loaded: LoadedValue<R>, at now: Duration, date: Date
  ) -> LiveEffects {
    guard load == id else { return LiveEffects() }
    if !isFollowed, loaded.isFromServer { (isInvalidated, invalidation) = (false, nil) }
    take(loaded, at: now, date: date)
    set(error: loaded.failure)
    // A reload that joined a load which used the cache gets a load of its own.
    if needsServer, !loaded.isFromServer, loaded.failure == nil { isFollowed = true }
    if let failure = loaded.failure { return end(.failure(failure), at: now) }
    return end(.success(()), at: now)
  }

  /// Ends a load that has failed, or that was cancelled from outside.
  mutating func fail(_ id: UInt32, _ failure: any Error, at now: Duration) -> LiveEffects {
    guard load == id else { return LiveEffects() }
    if !(failure is CancellationError) { set(error: failure) }
    return end(.failure(failure), at: now)
  }

  /// Takes the progress of a load.
  mutating func advance(_ id: UInt32, _ progress: TransferProgress) {
    guard load == id else { return }
    set(progress: progress)
  }

  private mutating func end(_ result: Result<Void, any Error>, at now: Duration) -> LiveEffects {
    lastEnd = now
    guard isFollowed else {
      stop()
      return LiveEffects(ended: result)
    }
    set(progress: nil)
    (needsServer, isFollowed) = (true, false)
    number()
    return LiveEffects(starts: .server)
  }

  private mutating func take(_ loaded: LoadedValue<R>, at now: Duration, date: Date) {
    let isSame = fingerprint != nil && fingerprint == loaded.fingerprint
    if !isSame { base = loaded.value }
    fingerprint = loaded.fingerprint
    if !isSame { showChanges() }
    set(updated: date.addingTimeInterval(-loaded.age.seconds))
    let lifetime: Duration? =
      switch options.freshness {
      case .http: loaded.freshness
      case .duration(let duration): duration - loaded.age
      case .untilInvalidated: nil
      }
    beFresh(for: lifetime, at: now)
    if isInvalidated || isFollowed { becomeStale() }
  }

  /// - Parameter lifetime: How long; `nil` for ever.
  private mutating func beFresh(for lifetime: Duration?, at now: Duration) {
    let isFresh = lifetime.map { $0 > .zero } ?? true
    freshUntil = isFresh ? lifetime.map { now + $0 } : nil
    set(isStale: !isFresh)
  }

  private mutating func becomeStale() {
    freshUntil = nil
    set(isStale: value != nil)
  }
}

// MARK: - Changes by the program

extension LiveMachine {
  /// Sets the value. Nothing that began before can bring another one back.
  mutating func set(_ new: R, at now: Duration, date: Date) -> LiveEffects {
    let hadValue = value != nil
    (base, fingerprint, changes) = (new, nil, [])
    showChanges()
    set(error: nil)
    set(updated: date)
    switch options.freshness {
    case .http: if !hadValue { becomeStale() }
    case .duration(let duration): beFresh(for: duration, at: now)
    case .untilInvalidated: beFresh(for: nil, at: now)
    }
    return restart()
  }

  /// Changes the value; without one there is nothing to change.
  mutating func update(_ apply: @escaping (inout R?) -> Void) -> LiveEffects {
    guard value != nil else { return LiveEffects() }
    changes.append(Change(write: nil, apply: apply))
    fold()
    showChanges()
    return restart()
  }

  /// Begins a write, and applies what it is expected to change. No load runs until the write has ended, since its answer
  /// might be from before or after the write.
  mutating func beginWrite(
    _ write: UInt64, _ apply: @escaping (inout R?) -> Void
  ) -> LiveEffects {
    if !writes.contains(write) { writes.append(write) }
    changes.append(Change(write: write, apply: apply))
    showChanges()
    guard load != nil else { return LiveEffects() }
    stop()
    return LiveEffects(cancels: true)
  }

  /// Ends a write: its changes stay or go. Either way the server may have another value now.
  mutating func endWrite(
    _ write: UInt64, succeeded: Bool, at now: Duration, isObserved: Bool
  ) -> LiveEffects {
    guard let index = writes.firstIndex(of: write) else { return LiveEffects() }
    writes.remove(at: index)
    if succeeded {
      for index in changes.indices where changes[index].write == write {
        changes[index].write = nil
      }
    } else {
      changes.removeAll { $0.write == write }
    }
    fold()
    showChanges()
    markInvalid(at: now)
    guard writes.isEmpty, isObserved else { return LiveEffects() }
    return start(.server)
  }

  /// Starts a load under way anew, whose answer would be older than what is there now.
  private mutating func restart() -> LiveEffects {
    guard load != nil else { return LiveEffects() }
    number()
    set(progress: nil)
    return LiveEffects(cancels: true, starts: networkMode)
  }

  /// Makes permanent changes that no write is under part of the base.
  private mutating func fold() {
    while let first = changes.first, first.write == nil {
      first.apply(&base)
      fingerprint = nil
      changes.removeFirst()
    }
  }

  private mutating func showChanges() {
    var new = base
    for change in changes { change.apply(&new) }
    show(new)
  }
}

// MARK: - Parts that change only when they differ

extension LiveMachine {
  private mutating func show(_ new: R?) {
    switch (value, new) {
    case (nil, nil): return
    case (let old?, let new?) where isEqual(old, new): return
    default:
      value = new
      changed.insert(.value)
    }
    guard new == nil else { return }
    freshUntil = nil
    set(isStale: false)
  }

  private mutating func set(error new: (any Error)?) {
    guard error != nil || new != nil else { return }
    error = new
    changed.insert(.error)
  }

  private mutating func set(isStale new: Bool) {
    guard isStale != new else { return }
    isStale = new
    changed.insert(.isStale)
  }

  private mutating func set(updated new: Date?) {
    guard updated != new else { return }
    updated = new
    changed.insert(.updated)
  }

  private mutating func set(progress new: TransferProgress?) {
    guard progress != new else { return }
    progress = new
    changed.insert(.progress)
  }
}

/// Returns whether two values are equal; `false` if they can't be compared.
func isEqual<R>(_ one: R, _ other: R) -> Bool {
  func compare<T: Equatable>(_ one: T) -> Bool { (other as? T) == one }
  guard let one = one as? any Equatable else { return false }
  return compare(one)
}
