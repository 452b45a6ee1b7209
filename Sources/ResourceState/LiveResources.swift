public import PromiseModule
public import ResourceCache
public import ResourceLoading
import ResourcePrimitives

/// The live resources of an app or of one account. Each resource has one state, which all its
/// observers share.
///
/// ```swift
/// let live = LiveResources(client)
/// let issues = live.resource(.issues(of: "swift"))
/// ```
///
/// A resource is identified by its request and the type of its value. At most one load of it is
/// under way at a time. Its state is kept while it is held or observed, and for a grace time
/// afterwards. A resource without observers isn't loaded.
///
/// With a client that has an `HTTPCache`, a stored value is available at once, even without a
/// network.
///
/// Everything happens on the main actor.
@MainActor
public final class LiveResources {
  /// The options for resources that are requested without their own.
  public let options: LiveOptions
  let loader: LiveLoader
  let clock: LoadClock
  let turns = LiveTurns()
  private var entries: [LiveKey: any LiveMember] = [:]
  /// The pages and queries that callers hold.
  private var others: [WeakMember] = []
  private(set) var invalidations = Invalidations()
  private var signals: [UInt64: CancelledTask] = [:]
  /// The tasks that read the messages of sockets.
  private var followed: [UInt64: CancelledTask] = [:]
  /// Closures that cancel the writes under way.
  private var writes: [UInt64: () -> Void] = [:]
  private var lastID: UInt64 = 0
  /// The number of calls of ``removeAll()``.
  private(set) var epoch = 0
  /// The task that empties the cache. Loads wait for its end.
  private var emptying: Task<Void, any Error>?
  /// The writes that an outbox keeps, for resources that become live later.
  var durableWrites = LiveDurableWrites()
  /// Whether a change is being applied again to another value.
  var isReplaying = false

  /// Creates live resources.
  ///
  /// - Parameters:
  ///   - loader: The loader: a `Client`, a `URLSession`, or a stub.
  ///   - options: The options for resources that are requested without their own.
  ///   - clock: The clock for freshness, intervals and other times. A test passes one that it
  ///     advances itself.
  public init(
    _ loader: any Loader, options: LiveOptions = LiveOptions(),
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.options = options
    self.clock = LoadClock(clock)
    self.loader = LiveLoader(loader: loader, clock: self.clock)
  }

  private struct WeakMember {
    weak var member: (any LiveMember)?
  }
}

extension LiveResources {
  /// Returns the live state of a resource. All callers get the same object while one of them holds
  /// it.
  ///
  /// - Parameters:
  ///   - resource: What to load.
  ///   - options: How to keep it up to date; `nil` for ``options``. A resource that is already live
  ///     keeps its own.
  ///   - tags: Names of groups of resources that are invalidated together. They are added to the
  ///     resource's existing tags.
  public func resource<R>(
    _ resource: Resource<R>, options: LiveOptions? = nil, tags: Set<LiveTag> = []
  ) -> LiveResource<R> {
    entry(resource, options, tags).held(in: self)
  }

  /// Returns the states of a resource: the current one, and each later one while the sequence is
  /// iterated.
  ///
  /// ```swift
  /// for await state in live.states(of: .issues(of: "swift")) {
  ///   show(state.value?.count ?? 0)
  /// }
  /// ```
  ///
  /// Of several states in one turn of the main actor, or while the loop is busy, only the last is
  /// delivered. The sequence supports one loop. Leaving the loop, or cancelling its task, ends the
  /// observation.
  ///
  /// - Parameters:
  ///   - resource: What to load.
  ///   - options: How to keep it up to date; `nil` for ``options``.
  ///   - tags: Names of groups of resources that are invalidated together.
  public func states<R>(
    of resource: Resource<R>, options: LiveOptions? = nil, tags: Set<LiveTag> = []
  ) -> AsyncStream<LiveState<R>> {
    let entry = entry(resource, options, tags)
    let (changes, change) = AsyncStream<Void>.ofLatest()
    let observation = observe(entry) { _ in change.yield() }
    return changes.map(keeping: observation) { entry.machine.state }
  }

  /// Calls back with the current state of a resource in the next turn of the main actor, and with
  /// each later state.
  ///
  /// - Parameters:
  ///   - resource: What to load.
  ///   - options: How to keep it up to date; `nil` for ``options``.
  ///   - tags: Names of groups of resources that are invalidated together.
  ///   - body: Called at most once in each turn.
  /// - Returns: The observation, which ends when it is cancelled or released.
  public func observe<R>(
    _ resource: Resource<R>, options: LiveOptions? = nil, tags: Set<LiveTag> = [],
    _ body: @escaping @MainActor (LiveState<R>) -> Void
  ) -> LiveObservation {
    observe(entry(resource, options, tags), body)
  }

  private func observe<R>(
    _ entry: LiveEntry<R>, _ body: @escaping @MainActor (LiveState<R>) -> Void
  ) -> LiveObservation {
    let id = nextID()
    entry.observe(id, body)
    return LiveObservation(in: self) { entry.dismiss(id) }
  }

  /// Calls back with a part of a resource's value whenever that part changes.
  ///
  /// - Parameters:
  ///   - resource: What to load.
  ///   - part: A key path or a function that returns the part of a value.
  ///   - body: Called with the first part, and then with each part that differs from the previous
  ///     one.
  ///   - removed: Called when there is no longer a value, for example after ``removeAll()``. `body`
  ///     is then called with the part of the next value, even if it is equal to the last one.
  /// - Returns: The observation, which ends when it is cancelled or released.
  public func observe<R, Part: Equatable>(
    _ resource: Resource<R>, selecting part: @escaping @MainActor (R) -> Part,
    _ body: @escaping @MainActor (Part) -> Void, removed: @escaping @MainActor () -> Void = {}
  ) -> LiveObservation {
    var last: Part?
    return observe(resource) { state in
      let new = state.value.map(part)
      guard new != last else { return }
      last = new
      if let new { body(new) } else { removed() }
    }
  }

  /// Returns a promise of the first fresh value: the current one if it is fresh, otherwise that of
  /// a load.
  ///
  /// - Parameter resource: What to load.
  /// - Returns: A promise that is rejected if the load fails. Cancelling it cancels the load,
  ///   unless the resource has other observers.
  public func promise<R>(of resource: Resource<R>) -> Promise<R> {
    let entry = entry(resource, nil, [])
    if let value = entry.machine.value, entry.machine.isFresh(at: clock.now()),
      !entry.machine.hasWrites
    {
      entry.release()
      return .fulfilled(value)
    }
    return promise(entry) { $0.load() }
  }

  /// Returns a promise for the load that a closure begins.
  func promise<R>(_ entry: LiveEntry<R>, _ begin: (LiveEntry<R>) -> Void) -> Promise<R> {
    let id = nextID()
    let (promise, resolver) = Promise<R>.pending()
    entry.wait(id) { resolver.resolve($0) }
    resolver.onCancel { [self] in turns.schedule { entry.dismiss(id) } }
    begin(entry)
    return promise
  }
}

extension LiveResources {
  /// Forgets all values, inputs and invalidations, cancels all loads and writes, and follows
  /// sockets no longer. Use it to sign out.
  ///
  /// Observers are notified that there is no value. A resource is loaded again only for a new
  /// observer.
  public func removeAll() {
    epoch += 1
    for member in members { member.clear() }
    for cancel in writes.values { cancel() }
    (writes, followed) = ([:], [:])
    invalidations = Invalidations()
    durableWrites = LiveDurableWrites()
  }

  /// Forgets all values, as ``removeAll()`` does, and empties a cache. Loads that begin in the
  /// meantime wait until it is empty.
  ///
  /// - Parameter cache: The cache of the loader.
  /// - Throws: What the cache's storage throws. The values in memory are removed even then.
  public func removeAll(with cache: HTTPCache) async throws {
    removeAll()
    let emptying = Task { [before = emptying] in
      _ = await before?.result
      try await cache.removeAll()
    }
    self.emptying = emptying
    defer { if self.emptying == emptying { self.emptying = nil } }
    try await emptying.value
  }

  /// Runs a load in a task that is cancelled when its last reference is released.
  func startLoad(_ load: @escaping @MainActor @Sendable () async -> Void) -> CancelledTask {
    turns.beginLoad()
    // Other observers may wait for it, too.
    let task = Deadline.withoutCurrent {
      Task { [turns, emptying] in
        defer { turns.endLoad() }
        _ = await emptying?.result
        await load()
      }
    }
    return CancelledTask(task)
  }

  /// Stores the closure that cancels a write until the write has ended, for ``removeAll()``.
  func keep(_ write: UInt64, _ cancel: (() -> Void)?) { writes[write] = cancel }
}

extension LiveResources {
  /// Loads all observed resources that are stale or have failed, at each element of a sequence, for
  /// example when the app enters the foreground or the network is back.
  ///
  /// ```swift
  /// live.reload(on: LiveSignals.continued())
  /// ```
  ///
  /// - Parameter signals: The signals. The sequence is iterated until it ends or throws, or until
  ///   the live resources are released.
  public func reload<S: AsyncSequence & Sendable>(on signals: S) where S.Element: Sendable {
    let id = nextID()
    self.signals[id] = CancelledTask(
      Task { [weak self] in
        do { for try await _ in signals { self?.reloadStale() } } catch {}
        self?.signals[id] = nil
      })
  }

  /// Loads all observed resources that are stale or have failed.
  public func reloadStale() {
    for member in members { member.signal() }
  }
}

extension LiveResources {
  /// The number of resources in the register, including those in their grace time.
  public var count: Int { entries.count }

  /// The resources, and the pages and queries that callers hold.
  var members: [any LiveMember] { Array(entries.values) + others.compactMap(\.member) }

  func entry<R>(
    _ resource: Resource<R>, _ options: LiveOptions?, _ tags: Set<LiveTag>
  ) -> LiveEntry<R> {
    let key = LiveKey(resource)
    if let entry = entries[key] as? LiveEntry<R> {
      if !tags.isEmpty { entry.add(tags) }
      return entry
    }
    let entry = LiveEntry(
      resource, key, options: options ?? self.options, tags: tags, in: self,
      invalidation: invalidations.latest(for: key, tags))
    entries[key] = entry
    for (write, transform) in durableWrites.waiting(for: key) as [(UInt64, LiveTransform<R>)] {
      entry.beginDurableWrite(write, transform.apply)
    }
    return entry
  }

  func existing<R>(_ resource: Resource<R>) -> LiveEntry<R>? {
    entries[LiveKey(resource)] as? LiveEntry<R>
  }

  func remove<R>(_ entry: LiveEntry<R>) {
    if entries[entry.key] === entry { entries[entry.key] = nil }
  }

  /// Returns the pages of a key if a caller holds them.
  func pages<Element>(for key: LiveKey) -> LivePages<Element>? {
    others.lazy.compactMap { $0.member as? LivePages<Element> }.first { $0.key == key }
  }

  /// Registers pages or a query while callers hold them.
  func add(_ member: any LiveMember) {
    others.removeAll { $0.member == nil }
    others.append(WeakMember(member: member))
  }

  func invalidate(_ scope: InvalidationScope) {
    invalidations.add(scope, at: clock.now())
    for member in members where member.isIn(scope) { member.invalidate() }
  }

  /// Runs a task until it is dropped, or everything is removed.
  func keepFollowing(_ id: UInt64, _ task: Task<Void, Never>) {
    followed[id] = CancelledTask(task)
  }

  func follows(_ id: UInt64) -> Bool { followed[id] != nil }

  /// - Returns: Whether the task wasn't dropped before.
  @discardableResult
  func dropFollowing(_ id: UInt64) -> Bool { followed.removeValue(forKey: id) != nil }

  /// Returns a change of an optional value that leaves `nil` as it is.
  ///
  /// A change is applied again whenever the value below it changes. It changes other live resources
  /// only the first time.
  func onlyPresent<R>(_ change: @escaping (inout R) -> Void) -> (inout R?) -> Void {
    var isFirst = true
    return { [weak self] optional in
      guard var value = optional.take() else { return }
      let wasReplaying = self?.isReplaying ?? false
      self?.isReplaying = wasReplaying || !isFirst
      isFirst = false
      change(&value)
      self?.isReplaying = wasReplaying
      optional = value
    }
  }

  func nextID() -> UInt64 {
    lastID += 1
    return lastID
  }
}
