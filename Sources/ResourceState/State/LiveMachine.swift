import Foundation
import ResourceLoading
import ResourcePrimitives

/// The effects of an event, to be carried out in this order: cancelling, starting, resuming those
/// who wait.
struct LiveEffects: Sendable {
  /// Whether the load under way is cancelled.
  var cancels = false
  /// How the load to start uses the cache; `nil` to start none.
  var starts: Request.CachePolicy?
  /// The outcome for callers that wait for the end of a load; `nil` while they keep waiting.
  var ended: Result<Void, any Error>?
}

/// The result of a load.
struct LoadedValue<R: Sendable>: Sendable {
  var value: R
  /// How long it is fresh from now on, as HTTP says.
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

/// The rules of one live resource, as a value: events in, effects out. It has no clock and starts
/// nothing.
///
/// A value consists of a base, which a load or the program has set, and of the changes made by
/// writes that are under way, and since. When a write succeeds, its changes become part of the
/// base. When it fails, they are removed.
struct LiveMachine<R: Sendable> {
  let options: LiveOptions
  private(set) var value: R?
  private(set) var error: (any Error)? {
    didSet { if oldValue != nil || error != nil { changed.insert(.error) } }
  }
  private(set) var updated: Date?
  private(set) var progress: TransferProgress?
  /// The load under way.
  private(set) var load: Load?
  /// Whether the value or the error has changed since ``takeChanges(since:)``.
  private var changed: LiveParts = []

  private var base: R?
  private var fingerprint: [UInt8]?
  private var changes: [Change] = []
  private var writes: [UInt64] = []
  private var loadCount: UInt32 = 0
  private var freshness = Freshness.stale
  /// The time at which the last load ended.
  private var lastEnd: Duration?
  /// The time of the last invalidation that no load has satisfied.
  private var invalidation: Duration?
  private var hasReadStored: Bool

  struct Load {
    /// Distinguishes the load from earlier ones, whose ends are ignored.
    let id: UInt32
    /// How the load uses the cache at present.
    var policy: Request.CachePolicy
    var demand: Demand
  }

  /// What the callers that wait for a load expect of it.
  enum Demand: Comparable {
    /// The cache may answer.
    case any
    /// The server has to answer.
    case server
    /// Another load has to follow, because the value was invalidated while this one was under way.
    case another
  }

  private enum Freshness: Equatable {
    case stale
    case until(Duration)
    case unlimited
  }

  /// A change over the base.
  struct Change {
    /// The write that the change belongs to; `nil` once it is permanent.
    var write: UInt64?
    let apply: (inout R?) -> Void
  }

  /// - Parameters:
  ///   - options: The options.
  ///   - readsStored: Whether a stored response is read first.
  ///   - invalidation: The last time at which the resource was invalidated before.
  init(_ options: LiveOptions, readsStored: Bool, invalidation: Duration?) {
    self.options = options.countable
    self.invalidation = invalidation
    hasReadStored = !readsStored
  }

  var isLoading: Bool { load != nil }

  var isStale: Bool { value != nil && freshness == .stale }

  var hasWrites: Bool { !writes.isEmpty }

  /// Whether nothing keeps a load from starting.
  private var isIdle: Bool { load == nil && writes.isEmpty }

  var state: LiveState<R> {
    LiveState(
      value: value, error: error, isLoading: isLoading, isStale: isStale, updated: updated,
      progress: progress)
  }

  /// Returns the parts that differ from an earlier state of the machine.
  mutating func takeChanges(since old: LiveMachine) -> LiveParts {
    var parts = changed
    changed = []
    if isLoading != old.isLoading { parts.insert(.isLoading) }
    if isStale != old.isStale { parts.insert(.isStale) }
    if updated != old.updated { parts.insert(.updated) }
    if progress != old.progress { parts.insert(.progress) }
    return parts
  }

  /// Whether there is a fresh value, so that another observer changes nothing.
  func isFresh(at now: Duration) -> Bool {
    guard value != nil, invalidation == nil, freshness != .stale else { return false }
    return freshUntil.map { now < $0 } ?? true
  }

  /// Returns the next time at which something happens on its own; `nil` if nothing does.
  func deadline(isObserved: Bool) -> Duration? {
    let times = [freshUntil, isObserved && isIdle ? nextReload : nil]
    return times.compactMap(\.self).min()
  }

  private var freshUntil: Duration? {
    if case .until(let time) = freshness { time } else { nil }
  }

  /// The time at which the interval ends.
  private var nextReload: Duration? {
    guard let interval = options.interval, interval > .zero else { return nil }
    return lastEnd.map { $0 + interval }
  }
}

// MARK: - Observers and time

extension LiveMachine {
  /// Loads for a caller who waits; a load under way is joined.
  mutating func want() -> LiveEffects { isIdle ? start(.any) : LiveEffects() }

  /// Cancels the load under way after the last observer has left, if the options say so.
  mutating func leave() -> LiveEffects {
    guard load != nil, options.cancelsWhenUnobserved else { return LiveEffects() }
    stop()
    return LiveEffects(cancels: true)
  }

  /// Loads for a new observer if there is no fresh value.
  mutating func arrive(at now: Duration, isObserved: Bool) -> LiveEffects {
    expire(at: now)
    guard isObserved else { return LiveEffects() }
    return loadIfDue(at: now, value == nil || isStale)
  }

  /// Loads what is stale or has failed, after a signal such as that the app is in the foreground.
  mutating func signal(at now: Duration, isObserved: Bool) -> LiveEffects {
    expire(at: now)
    guard isObserved else { return LiveEffects() }
    return loadIfDue(at: now, value == nil || isStale || error != nil)
  }

  /// Does what is due at the time that ``deadline(isObserved:)`` returned.
  mutating func tick(at now: Duration, isObserved: Bool) -> LiveEffects {
    expire(at: now)
    guard isObserved, isIdle, let nextReload, now >= nextReload else { return LiveEffects() }
    return start(.server)
  }

  /// Loads a new value from the server.
  mutating func reload() -> LiveEffects {
    if let demand = load?.demand { load?.demand = max(demand, .server) }
    return isIdle ? start(.server) : LiveEffects()
  }

  /// Marks the value as stale, and loads another one if the resource is observed.
  mutating func invalidate(at now: Duration, isObserved: Bool) -> LiveEffects {
    markInvalid(at: now)
    load?.demand = .another
    return isObserved && isIdle ? start(.server) : LiveEffects()
  }

  /// Forgets everything.
  mutating func clear() -> LiveEffects {
    let wasLoading = load != nil
    stop()
    (base, fingerprint, changes, writes) = (nil, nil, [], [])
    show(nil)
    (error, updated) = (nil, nil)
    (freshness, lastEnd, invalidation) = (.stale, nil, nil)
    return LiveEffects(cancels: wasLoading, ended: .failure(CancellationError()))
  }

  private mutating func loadIfDue(at now: Duration, _ isNeeded: Bool) -> LiveEffects {
    guard isIdle else { return LiveEffects() }
    if invalidation != nil { return start(.any) }
    let isSoon = lastEnd.map { now - $0 < options.deduplication } ?? false
    return isNeeded && !isSoon ? start(.any) : LiveEffects()
  }

  private mutating func expire(at now: Duration) {
    if let freshUntil, now >= freshUntil { freshness = .stale }
  }

  private mutating func markInvalid(at now: Duration) {
    invalidation = now
    freshness = .stale
  }
}

// MARK: - Loads

extension LiveMachine {
  /// Starts a load, or the next step of one.
  private mutating func start(_ demand: Demand) -> LiveEffects {
    let readsStored = value == nil && !hasReadStored
    return begin(demand, readsStored ? .cacheOnly : networkPolicy(demand))
  }

  private mutating func begin(_ demand: Demand, _ policy: Request.CachePolicy) -> LiveEffects {
    loadCount &+= 1
    load = Load(id: loadCount, policy: policy, demand: demand)
    progress = nil
    return LiveEffects(starts: policy)
  }

  private func networkPolicy(_ demand: Demand) -> Request.CachePolicy {
    invalidation != nil || demand > .any || options.freshness != .http ? .reload : .freshOnly
  }

  /// Goes on to the network after the stored response was read.
  private mutating func proceed() -> LiveEffects {
    guard let demand = load?.demand else { return LiveEffects() }
    let policy = networkPolicy(demand)
    load?.policy = policy
    return LiveEffects(starts: policy)
  }

  private mutating func stop() { (load, progress) = (nil, nil) }

  /// Takes the stored value, if there is one, and goes on to the network if it isn't fresh.
  mutating func readStored(
    _ id: UInt32, _ loaded: LoadedValue<R>?, at now: Duration, date: Date
  ) -> LiveEffects {
    guard let load, load.id == id else { return LiveEffects() }
    hasReadStored = true
    guard let loaded else { return proceed() }
    // A loader without a cache has asked the server.
    if loaded.isFromServer { return finish(id, loaded, at: now, date: date) }
    if let invalidation, now - loaded.age > invalidation, load.demand < .another {
      self.invalidation = nil
    }
    take(loaded, at: now, date: date)
    let isEnough = !isStale && invalidation == nil && load.demand == .any
    return isEnough ? end(.success(()), at: now) : proceed()
  }

  /// Takes the value of a load.
  mutating func finish(
    _ id: UInt32, _ loaded: LoadedValue<R>, at now: Duration, date: Date
  ) -> LiveEffects {
    guard let load, load.id == id else { return LiveEffects() }
    if load.demand < .another, loaded.isFromServer { invalidation = nil }
    take(loaded, at: now, date: date)
    error = loaded.failure
    if let failure = loaded.failure { return end(.failure(failure), at: now) }
    // A reload that joined a load which was free to use the cache gets a load of its own.
    if load.demand == .server, load.policy != .reload, !loaded.isFromServer {
      self.load?.demand = .another
    }
    return end(.success(()), at: now)
  }

  /// Ends a load that has failed, or that was cancelled from outside.
  mutating func fail(_ id: UInt32, _ failure: any Error, at now: Duration) -> LiveEffects {
    guard load?.id == id else { return LiveEffects() }
    if !(failure is CancellationError) { error = failure }
    return end(.failure(failure), at: now)
  }

  /// Takes the progress of a load.
  mutating func advance(_ id: UInt32, _ progress: TransferProgress) {
    if load?.id == id { self.progress = progress }
  }

  private mutating func end(_ result: Result<Void, any Error>, at now: Duration) -> LiveEffects {
    lastEnd = now
    if load?.demand == .another { return begin(.server, .reload) }
    stop()
    return LiveEffects(ended: result)
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
    if invalidation != nil || load?.demand == .another { freshness = .stale }
  }

  /// - Parameter lifetime: How long; `nil` forever.
  private mutating func beFresh(for lifetime: Duration?, at now: Duration) {
    freshness = lifetime.map { $0 > .zero ? .until(now + $0) : .stale } ?? .unlimited
  }
}

// MARK: - Changes by the program

extension LiveMachine {
  /// Sets the value. Nothing that began before can bring another one back.
  mutating func set(_ new: R, at now: Duration, date: Date) -> LiveEffects {
    (base, fingerprint, changes) = (new, nil, [])
    showChanges()
    (error, updated) = (nil, date)
    switch options.freshness {
    case .http: break
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

  /// Begins a write, and applies what it is expected to change. No load runs until the write has
  /// ended, since its answer might be from before or after the write.
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
    return isObserved && isIdle ? start(.server) : LiveEffects()
  }

  /// Starts a load under way again, because its answer would be older than the present value.
  private mutating func restart() -> LiveEffects {
    guard let load else { return LiveEffects() }
    let demand = min(load.demand, .server)
    var effects = begin(demand, networkPolicy(demand))
    effects.cancels = true
    return effects
  }

  /// Creates the permanent changes before the first change of a write part of the base.
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
    if new == nil { freshness = .stale }
  }
}

/// Returns whether two values are equal; `false` if they can't be compared.
func isEqual<R>(_ one: R, _ other: R) -> Bool {
  func compare<T: Equatable>(_ one: T) -> Bool { (other as? T) == one }
  guard let one = one as? any Equatable else { return false }
  return compare(one)
}
