import Foundation
import PromiseModule
import ResourceLoading
import ResourcePrimitives

/// A member of the register, which invalidates, signals and clears it: a resource, its pages, or a
/// query.
@MainActor
protocol LiveMember: AnyObject {
  func isIn(_ scope: InvalidationScope) -> Bool
  func invalidate()
  func signal()
  func clear()
  /// The next time at which something happens on its own.
  var deadline: LiveDeadline? { get }
  /// What a tool shows of it; `nil` for a query, which has no state of its own.
  var summary: LiveSummary? { get }
}

extension LiveMember {
  var deadline: LiveDeadline? { nil }

  var summary: LiveSummary? { nil }
}

/// A resource in the register, with its state machine and its observers.
@MainActor
final class LiveEntry<R: Sendable>: LiveMember {
  let key: LiveKey
  private(set) var tags: Set<LiveTag>
  /// What is loaded.
  private let source: Resource<R>
  let clock: LoadClock
  private(set) weak var live: LiveResources?
  /// The object that callers share.
  private weak var resource: LiveResource<R>?
  private(set) var machine: LiveMachine<R>
  /// The callbacks of the observers, by ascending numbers.
  private var observers: [UInt64: @MainActor () -> Void] = [:]
  /// The callbacks for the end of a load.
  private var waiters: [UInt64: @MainActor (Result<R, any Error>) -> Void] = [:]
  private var task: CancelledTask?
  private(set) var deadline: LiveDeadline?
  private(set) var releaseTime: Duration?
  private var reading = LiveReading.none
  /// Whether all observers are from before ``clear()``, so that nothing is loaded for them.
  private var isSuspended = false
  /// Whether the observers will be notified in the next turn.
  private var isChanged = false
  /// The event that is being performed, and those that arrived in the meantime.
  private var events: [(inout LiveMachine<R>) -> LiveEffects] = []

  init(
    _ resource: Resource<R>, _ key: LiveKey, options: LiveOptions, tags: Set<LiveTag>,
    in live: LiveResources, invalidation: Duration?
  ) {
    self.key = key
    self.tags = tags
    self.live = live
    clock = live.clock
    source = resource
    machine = LiveMachine(
      options, readsStored: resource.request.permitsStored, invalidation: invalidation)
  }
}

extension LiveEntry {
  /// Whether it has observers for which it should be loaded.
  private var isObserved: Bool { !isSuspended && hasObservers }

  private var hasObservers: Bool { reading.isObserving || !observers.isEmpty || !waiters.isEmpty }

  var observerCount: Int { observers.count + waiters.count + (reading.isObserving ? 1 : 0) }

  private var isHeld: Bool { resource != nil || hasObservers || machine.hasWrites }

  /// Returns the object that callers share. Its next read counts as observing.
  func held(in live: LiveResources) -> LiveResource<R> {
    reading.handOut()
    if let resource { return resource }
    let new = LiveResource(self, in: live)
    resource = new
    hold()
    return new
  }

  func add(_ tags: Set<LiveTag>) { self.tags.formUnion(tags) }

  /// Begins to observe when a property of the object is read for the first time since it was handed
  /// out.
  func noteRead() {
    guard reading.begin() else { return }
    isSuspended = false
    // In the next turn, because reading must not change anything, especially while a view is being
    // evaluated.
    live?.turns.schedule { [weak self] in self?.arrive() }
  }

  /// Ends the observation by an object that has been released.
  func endReading() {
    guard resource == nil else { return }
    reading = .none
    leave()
  }

  func observe(_ id: UInt64, _ body: @escaping @MainActor (LiveState<R>) -> Void) {
    let isFirst = !isObserved
    observers[id] = { [unowned self] in body(machine.state) }
    isSuspended = false
    hold()
    if isFirst || !machine.isFresh(at: clock.now()) { arrive() }
    notifyNextTurn()
  }

  func wait(_ id: UInt64, _ body: @escaping @MainActor (Result<R, any Error>) -> Void) {
    waiters[id] = body
    isSuspended = false
    hold()
  }

  /// Ends an observation, or a wait for the end of a load.
  func dismiss(_ id: UInt64) {
    observers[id] = nil
    waiters[id] = nil
    leave()
  }

  private func hold() {
    guard releaseTime != nil else { return }
    releaseTime = nil
    schedule()
  }

  private func leave() {
    if !isObserved { perform { $0.leave() } }
    release()
  }

  /// Begins the grace time if it isn't held.
  func release() {
    guard !isHeld, releaseTime == nil else { return }
    releaseTime = clock.now() + machine.options.grace
    if machine.options.grace > .zero { schedule() } else { live?.remove(self) }
  }
}

extension LiveEntry {
  /// Performs an event, then those that arrive in the meantime. A change may cause another one, and
  /// so may the observers of a property.
  private func perform(_ event: @escaping (inout LiveMachine<R>) -> LiveEffects) {
    events.append(event)
    guard events.count == 1 else { return }
    while let event = events.first {
      pass(event)
      events.removeFirst()
    }
    events = []
  }

  /// Passes an event to the machine, publishes the changes, and carries out the effects.
  private func pass(_ event: (inout LiveMachine<R>) -> LiveEffects) {
    var next = machine
    let effects = event(&next)
    let changes = next.takeChanges(since: machine)
    if let resource, !changes.isEmpty {
      resource.publish(changes) { machine = next }
    } else {
      machine = next
    }
    if !changes.isEmpty { notifyNextTurn() }
    if effects.cancels { task = nil }
    if let policy = effects.starts { start(policy) }
    if let ended = effects.ended { finish(ended) }
    if !machine.isLoading { task = nil }
    schedule()
  }

  func load() { perform { $0.want() } }

  func reload() { perform { $0.reload() } }

  func signal() { perform { [self] in $0.signal(at: clock.now(), isObserved: isObserved) } }

  private func arrive() {
    perform { [self] in $0.arrive(at: clock.now(), isObserved: isObserved) }
  }

  func clear() {
    isSuspended = true
    // An object that was read before has observed already; the first read of another one is new.
    if reading == .renewed { reading = .observing }
    perform { $0.clear() }
    if !isHeld { live?.remove(self) }
  }

  private func schedule() {
    let next = [machine.deadline(isObserved: isObserved), releaseTime].compactMap(\.self).min()
    guard next != deadline?.time else { return }
    deadline = next.map { LiveDeadline($0, on: clock) { [weak self] in self?.deadlinePassed() } }
  }

  private func notifyNextTurn() {
    guard !isChanged, !observers.isEmpty else { return }
    isChanged = true
    live?.turns.schedule { [weak self] in self?.notify() }
  }

  private func notify() {
    isChanged = false
    // A callback may end another observation. New observers are notified in the next turn.
    for id in observers.keys.sorted() { observers[id]?() }
  }
}

extension LiveEntry {
  private func deadlinePassed() {
    let now = clock.now()
    deadline = nil
    if let releaseTime, releaseTime <= now {
      guard isHeld else {
        live?.remove(self)
        return
      }
      self.releaseTime = nil
    }
    perform { [self] in $0.tick(at: now, isObserved: isObserved) }
  }
}

extension LiveEntry {
  func isIn(_ scope: InvalidationScope) -> Bool { scope.contains(key, tags) }

  func invalidate() {
    guard !isReplaying else { return }
    perform { [self] in $0.invalidate(at: clock.now(), isObserved: isObserved) }
  }

  func set(_ value: R) {
    guard !isReplaying else { return }
    perform { [self] in $0.set(value, at: clock.now(), date: clock.date()) }
  }

  func update(_ change: @escaping (inout R) -> Void) {
    guard !isReplaying else { return }
    guard let live else { return }
    let change = live.onlyPresent(change)
    perform { $0.update(change) }
  }

  func beginWrite(_ write: UInt64, _ change: @escaping (inout R?) -> Void) {
    perform { $0.beginWrite(write, change) }
    hold()
  }

  func endWrite(_ write: UInt64, succeeded: Bool) {
    perform { [self] in
      $0.endWrite(write, succeeded: succeeded, at: clock.now(), isObserved: isObserved)
    }
    release()
  }

  func beginDurableWrite(_ write: UInt64, _ change: @escaping (inout R?) -> Void) {
    perform { $0.beginDurableWrite(write, change) }
    hold()
  }

  func noteRefusal(of write: UInt64, _ error: (any Error)?) {
    perform { $0.noteRefusal(of: write, error) }
    if error == nil { release() } else { hold() }
  }

  private var isReplaying: Bool { live?.isReplaying ?? false }
}

extension LiveEntry {
  private func start(_ policy: Request.CachePolicy) {
    guard let live, let id = machine.load?.id else { return }
    let resource = resource(reporting: id, live.turns)
    task = live.startLoad { [weak self, loader = live.loader, clock] in
      let result: Result<LoadedValue<R>, any Error>
      do { result = .success(try await loader.load(resource, policy)) } catch {
        result = .failure(error)
      }
      let (now, date) = (clock.now(), clock.date())
      let loaded = result.map { self?.applyingEarlierWrites(to: $0, at: date) ?? $0 }
      self?.perform { machine in
        switch (policy, loaded) {
        case (.cacheOnly, _): machine.readStored(id, try? loaded.get(), at: now, date: date)
        case (_, .success(let loaded)): machine.finish(id, loaded, at: now, date: date)
        case (_, .failure(let error)): machine.fail(id, error, at: now)
        }
      }
    }
  }

  /// Applies the durable writes that were answered after a stored response had been received.
  private func applyingEarlierWrites(to loaded: LoadedValue<R>, at now: Date) -> LoadedValue<R> {
    guard !loaded.isFromServer, let live else { return loaded }
    // Ages are in whole seconds.
    let received = now.addingTimeInterval(-loaded.age.seconds - 1)
    let changes: [LiveTransform<R>] = live.durableWrites.transforms(of: key, since: received)
    guard !changes.isEmpty else { return loaded }
    var (changed, value) = (loaded, Optional(loaded.value))
    for change in changes { change.apply(&value) }
    if let value { (changed.value, changed.fingerprint) = (value, nil) }
    return changed
  }

  private func resource(reporting id: UInt32, _ turns: LiveTurns) -> Resource<R> {
    let relay = ProgressRelay(turns) { [weak self] progress in
      self?.perform {
        $0.advance(id, progress)
        return LiveEffects()
      }
    }
    return source.onProgress { relay($0) }
  }

  private func finish(_ ended: Result<Void, any Error>) {
    guard !waiters.isEmpty else { return }
    let result: Result<R, any Error> = ended.flatMap {
      machine.value.map { .success($0) } ?? .failure(CancellationError())
    }
    let waiters = waiters
    self.waiters = [:]
    for id in waiters.keys.sorted() { waiters[id]?(result) }
    leave()
  }
}
