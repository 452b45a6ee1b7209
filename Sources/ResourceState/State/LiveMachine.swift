import Foundation
import ResourceLoading

/// The effects of an event, to be carried out in this order: cancelling, starting, resuming those who wait.
struct LiveEffects: Sendable {
  /// Whether the load under way is cancelled.
  var cancels = false
  /// How the load to start uses the cache; `nil` to start none.
  var starts: Request.CachePolicy?
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
  private(set) var error: (any Error)? {
    didSet { if oldValue != nil || error != nil { changed.insert(.error) } }
  }
  private(set) var isStale = false {
    didSet { if isStale != oldValue { changed.insert(.isStale) } }
  }
  private(set) var updated: Date? {
    didSet { if updated != oldValue { changed.insert(.updated) } }
  }
  private(set) var progress: TransferProgress? {
    didSet { if progress != oldValue { changed.insert(.progress) } }
  }
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
  private var freshUntil: Duration?
  /// The time at which the last load ended.
  private var lastEnd: Duration?
  /// The stored response is older than this time if it mustn't count as fresh.
  private var invalidation: Duration?
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

  /// Loads for a new observer if that is due.
  mutating func loadIfDue(at now: Duration, isObserved: Bool) -> LiveEffects {
    expire(at: now)
    return isObserved && isDue(at: now) ? start() : LiveEffects()
  }

  /// Loads after a signal, such as that the app is in the foreground, what is stale or has failed.
  mutating func signal(at now: Duration, isObserved: Bool) -> LiveEffects {
    expire(at: now)
    guard isObserved, isDue(at: now, isFailureDue: true) else { return LiveEffects() }
    return start()
  }

  /// Does what is due at the time that ``deadline(isObserved:)`` returned.
  mutating func tick(at now: Duration, isObserved: Bool) -> LiveEffects {
    expire(at: now)
    guard isObserved, load == nil, writes.isEmpty, let interval, let lastEnd,
      now >= lastEnd + interval
    else { return LiveEffects() }
    return start(.reload)
  }

  /// Loads a new value from the server.
  mutating func reload() -> LiveEffects {
    needsServer = true
    guard load == nil, writes.isEmpty else { return LiveEffects() }
    return start(.reload)
  }

  /// Marks the value as stale, and loads another one if the resource is observed.
  mutating func invalidate(at now: Duration, isObserved: Bool) -> LiveEffects {
    markInvalid(at: now)
    guard load == nil else {
      isFollowed = true
      return LiveEffects()
    }
    return isObserved && writes.isEmpty ? start(.reload) : LiveEffects()
  }

  /// Forgets everything.
  mutating func clear() -> LiveEffects {
    let wasLoading = load != nil
    if wasLoading { stop() }
    (base, fingerprint, changes, writes) = (nil, nil, [], [])
    show(nil)
    (error, updated, isStale) = (nil, nil, false)
    (freshUntil, lastEnd, invalidation) = (nil, nil, nil)
    (isInvalidated, needsServer) = (false, false)
    return LiveEffects(cancels: wasLoading, ended: .failure(CancellationError()))
  }

  private var interval: Duration? { options.interval.flatMap { $0 > .zero ? $0 : nil } }

  /// Whether a new observer, or a signal, loads the resource.
  private func isDue(at now: Duration, isFailureDue: Bool = false) -> Bool {
    guard load == nil, writes.isEmpty else { return false }
    if isInvalidated { return true }
    guard value == nil || isStale || (isFailureDue && error != nil) else { return false }
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
  private mutating func start(_ policy: Request.CachePolicy? = nil) -> LiveEffects {
    number()
    changed.insert(.isLoading)
    isFollowed = false
    if policy == .reload { needsServer = true }
    guard value == nil, !hasReadStored else { return LiveEffects(starts: networkPolicy) }
    return LiveEffects(starts: .cacheOnly)
  }

  /// Gives the load a new number, so that the end of an earlier one is ignored.
  private mutating func number() {
    loadCount &+= 1
    load = loadCount
  }

  private var networkPolicy: Request.CachePolicy {
    isInvalidated || needsServer || options.freshness != .http ? .reload : .freshOnly
  }

  private mutating func stop() {
    load = nil
    changed.insert(.isLoading)
    (needsServer, isFollowed) = (false, false)
    progress = nil
  }

  /// Takes the stored value, if there is one, and goes on to the network if it isn't fresh.
  mutating func readStored(
    _ id: UInt32, _ loaded: LoadedValue<R>?, at now: Duration, date: Date
  ) -> LiveEffects {
    guard load == id else { return LiveEffects() }
    hasReadStored = true
    guard let loaded else { return LiveEffects(starts: networkPolicy) }
    // A loader without a cache has asked the server.
    if loaded.isFromServer { return finish(id, loaded, at: now, date: date) }
    if let invalidation, now - loaded.age > invalidation, !isFollowed { isInvalidated = false }
    take(loaded, at: now, date: date)
    guard isStale || isInvalidated || needsServer else {
      return end(.success(()), at: now)
    }
    return LiveEffects(starts: networkPolicy)
  }

  /// Takes the value of a load.
  mutating func finish(
    _ id: UInt32, _ loaded: LoadedValue<R>, at now: Duration, date: Date
  ) -> LiveEffects {
    guard load == id else { return LiveEffects() }
    if !isFollowed, loaded.isFromServer { (isInvalidated, invalidation) = (false, nil) }
    take(loaded, at: now, date: date)
    error = loaded.failure
    // A reload that joined a load which used the cache gets a load of its own.
    if needsServer, !loaded.isFromServer, loaded.failure == nil { isFollowed = true }
    if let failure = loaded.failure { return end(.failure(failure), at: now) }
    return end(.success(()), at: now)
  }

  /// Ends a load that has failed, or that was cancelled from outside.
  mutating func fail(_ id: UInt32, _ failure: any Error, at now: Duration) -> LiveEffects {
    guard load == id else { return LiveEffects() }
    if !(failure is CancellationError) { error = failure }
    return end(.failure(failure), at: now)
  }

  /// Takes the progress of a load.
  mutating func advance(_ id: UInt32, _ progress: TransferProgress) {
    guard load == id else { return }
    self.progress = progress
  }

  private mutating func end(_ result: Result<Void, any Error>, at now: Duration) -> LiveEffects {
    lastEnd = now
    guard isFollowed else {
      stop()
      return LiveEffects(ended: result)
    }
    progress = nil
    (needsServer, isFollowed) = (true, false)
    number()
    return LiveEffects(starts: .reload)
  }

  private mutating func take(_ loaded: LoadedValue<R>, at now: Duration, date: Date) {
    let isSame = fingerprint != nil && fingerprint == loaded.fingerprint
    if !isSame { base = loaded.value }
    fingerprint = loaded.fingerprint
    if !isSame { showChanges() }
    updated = date.addingTimeInterval(-loaded.age.seconds)
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
    isStale = !isFresh
  }

  private mutating func becomeStale() {
    freshUntil = nil
    isStale = value != nil
  }
}

// MARK: - Changes by the program

extension LiveMachine {
  /// Sets the value. Nothing that began before can bring another one back.
  mutating func set(_ new: R, at now: Duration, date: Date) -> LiveEffects {
    let hadValue = value != nil
    (base, fingerprint, changes) = (new, nil, [])
    showChanges()
    (error, updated) = (nil, date)
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
    return start(.reload)
  }

  /// Starts a load under way anew, whose answer would be older than what is there now.
  private mutating func restart() -> LiveEffects {
    guard load != nil else { return LiveEffects() }
    number()
    progress = nil
    return LiveEffects(cancels: true, starts: networkPolicy)
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

  private mutating func show(_ new: R?) {
    switch (value, new) {
    case (nil, nil): return
    case (let old?, let new?) where isEqual(old, new): return
    default:
      value = new
      changed.insert(.value)
    }
    if new == nil { (freshUntil, isStale) = (nil, false) }
  }
}

/// Returns whether two values are equal; `false` if they can't be compared.
func isEqual<R>(_ one: R, _ other: R) -> Bool {
  func compare<T: Equatable>(_ one: T) -> Bool { (other as? T) == one }
  guard let one = one as? any Equatable else { return false }
  return compare(one)
}
