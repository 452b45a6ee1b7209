import Foundation
import ResourceLoading
import ResourcePrimitives

/// The effects of an event. They have to be carried out in this order: cancelling, starting,
/// resuming waiters.
struct LiveEffects: Sendable {
  /// Whether the load under way is cancelled.
  var cancels = false
  /// How the load to start uses the cache; `nil` if none is started.
  var starts: Request.CachePolicy?
  /// The outcome for callers that wait for the end of a load; `nil` while they keep waiting.
  var ended: Result<Void, any Error>?
}

struct LoadedValue<R: Sendable>: Sendable {
  var value: R
  /// How long it remains fresh according to HTTP.
  var freshness = Duration.zero
  /// The time since the server sent or confirmed it.
  var age = Duration.zero
  /// Whether the server was asked.
  var isFromServer = true
  /// The error that caused a stale response to be used, if any.
  var failure: (any Error)?
  /// A hash of the response, for values that can't be compared.
  var fingerprint: [UInt8]?
}

/// The state of one live resource as a value. Each event changes it and returns the effects to
/// carry out. It has no clock and starts nothing.
struct LiveMachine<R: Sendable> {
  let options: LiveOptions
  private(set) var value: R?
  /// The error of the last load.
  private(set) var loadError: (any Error)? {
    didSet { if oldValue != nil || loadError != nil { changed.insert(.error) } }
  }
  private(set) var updated: Date?
  private(set) var progress: TransferProgress?
  private(set) var load: Load?
  /// Whether the value or the error has changed since ``takeChanges(since:)``.
  private var changed: LiveParts = []

  private var layers = LiveLayers<R>()
  private var loadCount: UInt32 = 0
  private var freshness = Freshness.stale
  /// The time at which the last load ended.
  private var lastEnd: Duration?
  /// The time of the last invalidation that no load has satisfied.
  private var invalidation: Duration?
  private var hasReadStored: Bool

  struct Load {
    /// Distinguishes the load from earlier ones, whose outcomes are ignored.
    let id: UInt32
    /// How the load currently uses the cache.
    var policy: Request.CachePolicy
    var demand: Demand
  }

  /// What the callers that wait for a load require.
  enum Demand: Comparable {
    /// The response may come from the cache.
    case any
    /// The response has to come from the server.
    case server
    /// Another load has to follow, because the value was invalidated while this one was under way.
    case another
  }

  private enum Freshness: Equatable {
    case stale
    case until(Duration)
    case unlimited
  }

  /// A stored response is read first if `readsStored`. `invalidation` is the time of the last
  /// invalidation.
  init(_ options: LiveOptions, readsStored: Bool, invalidation: Duration?) {
    self.options = options.countable
    self.invalidation = invalidation
    hasReadStored = !readsStored
  }

  var isLoading: Bool { load != nil }

  var isStale: Bool { value != nil && freshness == .stale }

  var hasWrites: Bool { layers.hasWrites }

  /// The error of the last load, or else of a write that was refused.
  var error: (any Error)? { loadError ?? layers.refusal }

  private var isIdle: Bool { load == nil && !layers.blocksLoads }

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

  /// Whether there is a fresh value, so that a new observer needs no load.
  func isFresh(at now: Duration) -> Bool {
    guard value != nil, invalidation == nil, freshness != .stale else { return false }
    return freshUntil.map { now < $0 } ?? true
  }

  /// Returns the next time at which something happens on its own; `nil` if nothing does.
  func deadline(isObserved: Bool) -> Duration? {
    let times = [freshUntil, isObserved && isIdle ? nextReload : nil]
    return times.compactMap(\.self).min()
  }

  /// The time at which the value becomes stale on its own; `nil` if it doesn't.
  var freshUntil: Duration? {
    if case .until(let time) = freshness { time } else { nil }
  }

  /// The time at which the interval ends.
  var nextReload: Duration? {
    guard let interval = options.interval, interval > .zero else { return nil }
    return lastEnd.map { $0 + interval }
  }
}

extension LiveMachine {
  /// Loads for a waiting caller, which joins a load under way.
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

  /// Loads a stale or failed resource after a signal, for example when the app enters the
  /// foreground.
  mutating func signal(at now: Duration, isObserved: Bool) -> LiveEffects {
    expire(at: now)
    guard isObserved else { return LiveEffects() }
    return loadIfDue(at: now, value == nil || isStale || loadError != nil)
  }

  /// Handles the deadline that ``deadline(isObserved:)`` returned.
  mutating func tick(at now: Duration, isObserved: Bool) -> LiveEffects {
    expire(at: now)
    guard isObserved, isIdle, let nextReload, now >= nextReload else { return LiveEffects() }
    return start(.server)
  }

  mutating func reload() -> LiveEffects {
    if let demand = load?.demand { load?.demand = max(demand, .server) }
    return isIdle ? start(.server) : LiveEffects()
  }

  /// Marks the value as stale, and loads a new one if the resource is observed.
  mutating func invalidate(at now: Duration, isObserved: Bool) -> LiveEffects {
    markInvalid(at: now)
    load?.demand = .another
    return isObserved && isIdle ? start(.server) : LiveEffects()
  }

  mutating func clear() -> LiveEffects {
    let wasLoading = load != nil
    stop()
    layers = LiveLayers()
    show()
    (loadError, updated) = (nil, nil)
    changed.insert(.error)
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

  /// Continues with the network after the stored response has been read.
  private mutating func proceed() -> LiveEffects {
    guard let demand = load?.demand else { return LiveEffects() }
    let policy = networkPolicy(demand)
    load?.policy = policy
    return LiveEffects(starts: policy)
  }

  private mutating func stop() { (load, progress) = (nil, nil) }

  /// Stores the cached value if there is one, and continues with the network if it isn't fresh.
  mutating func readStored(
    _ id: UInt32, _ loaded: LoadedValue<R>?, at now: Duration, date: Date
  ) -> LiveEffects {
    guard let load, load.id == id else { return LiveEffects() }
    hasReadStored = true
    guard let loaded else { return proceed() }
    // A loader without a cache has already asked the server.
    if loaded.isFromServer { return finish(id, loaded, at: now, date: date) }
    if let invalidation, now - loaded.age > invalidation, load.demand < .another {
      self.invalidation = nil
    }
    take(loaded, at: now, date: date)
    let isEnough = !isStale && invalidation == nil && load.demand == .any
    return isEnough ? end(.success(()), at: now) : proceed()
  }

  /// Stores the value of a load.
  mutating func finish(
    _ id: UInt32, _ loaded: LoadedValue<R>, at now: Duration, date: Date
  ) -> LiveEffects {
    guard let load, load.id == id else { return LiveEffects() }
    if load.demand < .another, loaded.isFromServer { invalidation = nil }
    take(loaded, at: now, date: date)
    loadError = loaded.failure
    if let failure = loaded.failure { return end(.failure(failure), at: now) }
    // If a reload has joined a load that could use the cache, another load follows.
    if load.demand == .server, load.policy != .reload, !loaded.isFromServer {
      self.load?.demand = .another
    }
    return end(.success(()), at: now)
  }

  /// Ends a load that has failed or was cancelled from outside.
  mutating func fail(_ id: UInt32, _ failure: any Error, at now: Duration) -> LiveEffects {
    guard load?.id == id else { return LiveEffects() }
    if !(failure is CancellationError) { loadError = failure }
    return end(.failure(failure), at: now)
  }

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
    let isNew = layers.take(
      loaded.value, loaded.fingerprint, isFromServer: loaded.isFromServer)
    if isNew { show() }
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

  /// - Parameter lifetime: How long the value is fresh; `nil` for no limit.
  private mutating func beFresh(for lifetime: Duration?, at now: Duration) {
    freshness = lifetime.map { $0 > .zero ? .until(now + $0) : .stale } ?? .unlimited
  }
}

extension LiveMachine {
  /// Sets the value. Nothing that began earlier can replace it.
  mutating func set(_ new: R, at now: Duration, date: Date) -> LiveEffects {
    layers.set(new)
    show()
    (loadError, updated) = (nil, date)
    switch options.freshness {
    case .http: break
    case .duration(let duration): beFresh(for: duration, at: now)
    case .untilInvalidated: beFresh(for: nil, at: now)
    }
    return restart()
  }

  mutating func update(_ apply: @escaping (inout R?) -> Void) -> LiveEffects {
    guard value != nil else { return LiveEffects() }
    layers.update(apply)
    show()
    return restart()
  }

  /// Begins a write and applies its expected changes. No load runs until the write has ended,
  /// because its response might be from before or after the write.
  mutating func beginWrite(
    _ write: UInt64, _ apply: @escaping (inout R?) -> Void
  ) -> LiveEffects {
    layers.begin(write, isDurable: false, apply)
    show()
    guard load != nil else { return LiveEffects() }
    stop()
    return LiveEffects(cancels: true)
  }

  /// Ends a write, and keeps or removes its changes. In both cases the server may have a new value.
  mutating func endWrite(
    _ write: UInt64, succeeded: Bool, at now: Duration, isObserved: Bool
  ) -> LiveEffects {
    guard let wasDurable = layers.end(write, succeeded: succeeded) else { return LiveEffects() }
    show()
    markInvalid(at: now)
    // What is being loaded may be from before the write.
    if wasDurable, load != nil { return restart() }
    return isObserved && isIdle ? start(.server) : LiveEffects()
  }

  /// Begins a write that may wait for days. Loads go on, because its changes stay on top of what
  /// they bring; those under way when it ends are begun anew.
  mutating func beginDurableWrite(
    _ write: UInt64, _ apply: @escaping (inout R?) -> Void
  ) -> LiveEffects {
    layers.begin(write, isDurable: true, apply)
    show()
    return LiveEffects()
  }

  /// Notes that a durable write was refused, or with `nil` that the user has dealt with that.
  mutating func noteRefusal(of write: UInt64, _ error: (any Error)?) -> LiveEffects {
    layers.noteRefusal(of: write, error)
    changed.insert(.error)
    return LiveEffects()
  }

  /// Restarts a load under way, because its response would be older than the current value.
  private mutating func restart() -> LiveEffects {
    guard let load else { return LiveEffects() }
    let demand = min(load.demand, .server)
    var effects = begin(demand, networkPolicy(demand))
    effects.cancels = true
    return effects
  }

  private mutating func show() {
    let new = layers.value
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
