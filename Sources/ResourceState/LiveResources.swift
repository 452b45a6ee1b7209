public import PromiseModule
public import ResourceCache
public import ResourceLoading

/// The live resources of an app, or of one account: one state for each resource, shared by all its observers.
///
/// ```swift
/// let live = LiveResources(client)
/// let issues = live.resource(.issues(of: "swift"))
/// ```
///
/// A request and the type of its value identify a resource. There is never more than one load of it under way. Its state is
/// kept for as long as it is held or observed, and for a grace time afterwards; what nobody observes isn't loaded.
///
/// With a client that has an `HTTPCache`, a stored value is there at once, without a network too.
///
/// All of it lives on the main actor.
@MainActor
public final class LiveResources {
  /// The options of resources that are asked for without any.
  public let options: LiveOptions
  private let rules: LiveRules
  let loader: LiveLoader
  let clock: LoadClock
  let turns = LiveTurns()
  let deadlines: LiveDeadlines
  private var entries: [LiveKey: any LiveEntry] = [:]
  /// The pages and queries that are held.
  private var others: [WeakMember] = []
  private(set) var invalidations = Invalidations()
  private var changed: [any LiveEntry] = []
  private var signals: [UInt64: CancelledTask] = [:]
  /// What cancels the writes under way.
  private var writes: [UInt64: () -> Void] = [:]
  private var lastID: UInt64 = 0
  /// The number of calls of ``removeAll()``.
  private(set) var epoch = 0
  /// Empties the cache, before which nothing is loaded.
  private(set) var emptying: Task<Void, any Error>?
  /// Whether a change is applied once more, over another value.
  var isReplaying = false

  /// Creates live resources.
  ///
  /// - Parameters:
  ///   - loader: What loads them: a `Client`, a `URLSession`, or a stub.
  ///   - options: The options of resources that are asked for without any.
  ///   - clock: What counts the time for freshness, intervals and the like. A test hands in one that it moves itself.
  public init(
    _ loader: any Loader, options: LiveOptions = LiveOptions(),
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.options = options
    rules = LiveRules(options)
    self.clock = LoadClock(clock)
    self.loader = LiveLoader(loader: loader, clock: self.clock)
    deadlines = LiveDeadlines(self.clock)
  }

  private struct WeakMember {
    weak var member: (any LiveMember)?
  }
}

// MARK: - Observing

extension LiveResources {
  /// Returns the live state of a resource: the same object for all callers, for as long as one of them holds it.
  ///
  /// - Parameters:
  ///   - resource: What to load.
  ///   - options: How it is kept up to date; `nil` for ``options``. If the resource is live already, it keeps those it has.
  ///   - tags: Names for a group of resources, to invalidate them together. They are added to those it has.
  public func resource<R>(
    _ resource: Resource<R>, options: LiveOptions? = nil, tags: Set<LiveTag> = []
  ) -> LiveResource<R> {
    core(resource, options, tags).held(in: self)
  }

  /// Returns the live state of what an endpoint stands for.
  ///
  /// - Parameters:
  ///   - endpoint: A case of a router, a request struct, or anything else with a resource.
  ///   - options: How it is kept up to date; `nil` for ``options``.
  ///   - tags: Names for a group of resources.
  public func resource<E: Endpoint>(
    _ endpoint: E, options: LiveOptions? = nil, tags: Set<LiveTag> = []
  ) -> LiveResource<E.R> {
    resource(endpoint.resource, options: options, tags: tags)
  }

  /// Returns the states of a resource: the present one, and each that follows, for as long as the sequence is iterated.
  ///
  /// ```swift
  /// for await state in live.states(of: .issues(of: "swift")) {
  ///   show(state.value?.count ?? 0)
  /// }
  /// ```
  ///
  /// States that follow each other in one turn of the main actor, or faster than the loop takes them, are delivered as one: the
  /// last. The sequence is for one loop. Leaving the loop, or cancelling its task, ends the observation.
  ///
  /// - Parameters:
  ///   - resource: What to load.
  ///   - options: How it is kept up to date; `nil` for ``options``.
  ///   - tags: Names for a group of resources.
  public func states<R>(
    of resource: Resource<R>, options: LiveOptions? = nil, tags: Set<LiveTag> = []
  ) -> AsyncStream<LiveState<R>> {
    let core = core(resource, options, tags)
    let (changes, change) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let observation = observe(core) { _ in change.yield() }
    return changes.map(keeping: observation) { core.machine.state }
  }

  /// Calls back with the present state of a resource, in the next turn of the main actor, and with each that follows.
  ///
  /// - Parameters:
  ///   - resource: What to load.
  ///   - options: How it is kept up to date; `nil` for ``options``.
  ///   - tags: Names for a group of resources.
  ///   - body: Called at most once in each turn.
  /// - Returns: The observation, which ends when it is cancelled or released.
  public func observe<R>(
    _ resource: Resource<R>, options: LiveOptions? = nil, tags: Set<LiveTag> = [],
    _ body: @escaping @MainActor (LiveState<R>) -> Void
  ) -> LiveObservation {
    observe(core(resource, options, tags), body)
  }

  private func observe<R>(
    _ core: LiveCore<R>, _ body: @escaping @MainActor (LiveState<R>) -> Void
  ) -> LiveObservation {
    let id = nextID()
    core.observe(id, body)
    return LiveObservation(of: core, by: id, in: self)
  }

  /// Calls back with a part of each value of a resource, when that part has changed.
  ///
  /// - Parameters:
  ///   - resource: What to load.
  ///   - part: Finds the part: a key path or a function.
  ///   - body: Called with the part at first, and then whenever it is another one.
  ///   - removed: Called when there is no value any more, after ``removeAll()`` for example. Then `body`
  ///     is called with the part of the next value, whichever it is.
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

  /// Returns a promise of the first fresh value: the present one if it is fresh, else that of a load.
  ///
  /// - Parameter resource: What to load.
  /// - Returns: A promise that is rejected if the load fails. Cancelling it cancels the load, unless the resource has
  ///   other observers.
  public func promise<R>(of resource: Resource<R>) -> Promise<R> {
    let core = core(resource, nil, [])
    if let value = core.machine.value, !core.machine.isStale, !core.machine.hasWrites {
      core.release()
      return .fulfilled(value)
    }
    return promise(core) { $0.load() }
  }

  /// Calls a closure once it has begun to wait for the end of a load.
  func promise<R>(_ core: LiveCore<R>, _ begin: (LiveCore<R>) -> Void) -> Promise<R> {
    let id = nextID()
    let (promise, resolver) = Promise<R>.pending()
    core.wait(id) { resolver.resolve($0) }
    resolver.onCancel { [self] in turns.schedule { core.dismiss(id) } }
    begin(core)
    return promise
  }
}

// MARK: - Changing

extension LiveResources {
  /// Sets the value of a resource, also of one that has no observers yet.
  ///
  /// It counts as newer than whatever is under way: a load starts anew, and a write that fails doesn't roll it back.
  public func set<R>(_ resource: Resource<R>, to value: R) {
    let core = core(resource, nil, [])
    core.set(value)
    core.release()
  }

  /// Changes the value of a resource; without one there is nothing to change. A load under way starts anew.
  public func update<R>(_ resource: Resource<R>, _ change: @escaping (inout R) -> Void) {
    existing(resource)?.update(change)
  }

  /// Marks the value of a resource as stale: it is loaded from the server again, at once if it is observed, else for
  /// the next observer.
  public func invalidate<R>(_ resource: Resource<R>) { invalidate(.key(LiveKey(resource))) }

  /// Marks the values of all resources with a tag as stale.
  public func invalidate(tag: LiveTag) { invalidate(.tag(tag)) }

  /// Marks the values of all resources at a path or below it as stale: `/users` is `/users/1` too, but not `/users2`.
  public func invalidate(below path: RequestPath) {
    invalidate(.below(path))
  }

  /// Marks all values as stale.
  public func invalidateAll() { invalidate(.all) }

  /// Forgets all values and invalidations, and cancels all loads and writes: for signing out. Observers see that there
  /// is no value, and a resource is loaded again only for a new observer.
  public func removeAll() {
    epoch += 1
    for member in members { member.clear() }
    for cancel in writes.values { cancel() }
    writes = [:]
    invalidations = Invalidations()
  }

  /// Forgets all values, as ``removeAll()`` does, and then those of a cache. Loads that begin meanwhile wait for the end.
  ///
  /// - Parameter cache: The cache of the loader.
  /// - Throws: What the cache's storage throws. The values in memory are gone then all the same.
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

  func invalidate(_ scope: InvalidationScope) {
    invalidations.add(scope, at: clock.now())
    for member in members where member.isIn(scope) { member.invalidate() }
  }
}

// MARK: - Signals

extension LiveResources {
  /// Loads what is observed and stale, whenever a sequence has an element: the app is in the foreground, the network is
  /// back.
  ///
  /// ```swift
  /// live.reload(on: LiveSignals.continued())
  /// ```
  ///
  /// - Parameter signals: The signals. The sequence is iterated until it ends or throws, or until the live resources are
  ///   released.
  public func reload<S: AsyncSequence & Sendable>(on signals: S) where S.Element: Sendable {
    let id = nextID()
    self.signals[id] = CancelledTask(
      Task { [weak self] in
        do { for try await _ in signals { self?.reloadStale() } } catch {}
        self?.signals[id] = nil
      })
  }

  /// Loads what is observed and stale.
  public func reloadStale() {
    for member in members { member.signal() }
  }
}

// MARK: - Register

extension LiveResources {
  /// The number of resources in the register, those in their grace time included.
  public var count: Int { entries.count }

  /// The resources, and the pages and queries that are held.
  private var members: [any LiveMember] {
    entries.values.map { $0 as any LiveMember } + others.compactMap(\.member)
  }

  func core<R>(
    _ resource: Resource<R>, _ options: LiveOptions?, _ tags: Set<LiveTag>
  ) -> LiveCore<R> {
    let key = LiveKey(resource)
    if let core = entries[key] as? LiveCore<R> {
      if !tags.isEmpty { core.add(tags) }
      return core
    }
    let core = LiveCore(
      resource, key, rules: options.map(LiveRules.init) ?? rules, tags: tags, in: self,
      invalidation: invalidations.latest(for: key, tags))
    entries[key] = core
    return core
  }

  func existing<R>(_ resource: Resource<R>) -> LiveCore<R>? {
    entries[LiveKey(resource)] as? LiveCore<R>
  }

  func remove(_ entry: any LiveEntry) {
    if entries[entry.key] === entry { entries[entry.key] = nil }
  }

  /// Returns the pages of a key, if they are held.
  func pages<Element>(for key: LiveKey) -> LivePages<Element>? {
    others.lazy.compactMap { $0.member as? LivePages<Element> }.first { $0.key == key }
  }

  /// Keeps pages or a query for as long as others hold them.
  func add(_ member: any LiveMember) {
    others.removeAll { $0.member == nil }
    others.append(WeakMember(member: member))
  }

  func nextID() -> UInt64 {
    lastID += 1
    return lastID
  }

  /// Notifies the observers of an entry in the next turn, together with those of others.
  func notifyNextTurn(_ entry: any LiveEntry) {
    changed.append(entry)
    guard changed.count == 1 else { return }
    turns.schedule { [weak self] in
      guard let self else { return }
      let entries = changed
      changed = []
      for entry in entries { entry.notify() }
    }
  }

  /// Keeps what cancels a write until it has ended, for ``removeAll()``.
  func keep(_ write: UInt64, _ cancel: (() -> Void)?) { writes[write] = cancel }
}
