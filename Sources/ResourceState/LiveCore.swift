import Foundation
import PromiseModule
import ResourceLoading

/// What the register invalidates, signals and clears: a resource, the pages of one, or a query.
@MainActor
protocol LiveMember: AnyObject {
  func isIn(_ scope: InvalidationScope) -> Bool
  func invalidate()
  func signal()
  func clear()
}

/// A resource in the register, whatever its value.
@MainActor
protocol LiveEntry: LiveMember, LiveDeadlineOwner, Sendable {
  var key: LiveKey { get }
  func notify()
  /// Ends an observation, or a wait for the end of a load.
  func dismiss(_ id: UInt64)
  func endWrite(_ write: UInt64, succeeded: Bool)
}

/// The state of a resource in the register: its state machine, and the observers of its changes.
@MainActor
final class LiveCore<R: Sendable>: LiveEntry {
  let key: LiveKey
  private(set) var tags: Set<LiveTag>
  // The parts of the resource but its request, which the key has.
  private let parser: @Sendable (Response) throws -> R
  private let progress: (@Sendable (TransferProgress) -> Void)?
  private let errorBody: ErrorBody?
  private let sample: SampleResponse?
  private let clock: LoadClock
  private weak var live: LiveResources?
  /// The object that programs hold; all get the same one.
  private(set) weak var resource: LiveResource<R>?
  private(set) var machine: LiveMachine<R>
  /// The observers in the order in which they came, which is that of their numbers.
  private var observerIDs: [UInt64] = []
  /// The callback of each observer; `nil` once it has left. Its place is removed later, together with others.
  private var observers: [(@MainActor (LiveState<R>) -> Void)?] = []
  /// The number of observers that haven't left.
  private var observerCount = 0
  /// Those who wait for the end of a load.
  private var waiters: [UInt64: @MainActor (Result<R, any Error>) -> Void] = [:]
  private var task: CancelledTask?
  private(set) var deadline: Duration?
  private var releaseTime: Duration?
  /// A copy of the machine's ``LiveMachine/restsUntil``, which is cheaper to read.
  private var restsUntil: Duration?
  /// Whether the object was handed out since a property of it was last read.
  private(set) var isAwaitingRead = false
  /// Whether the object that programs hold was ever read.
  private var isRead = false
  /// Whether the observers will be notified in the next turn.
  private var isChanged = false
  /// Whether the observers are being notified.
  private var isNotifying = false
  /// Whether the observers of before a removal wait for a new one: until then nothing is loaded.
  private var isSuspended = false
  private var isPerforming = false
  /// The events that came while another one was performed.
  private var deferred: [(inout LiveMachine<R>) -> LiveEffects] = []

  init(
    _ resource: Resource<R>, _ key: LiveKey, rules: LiveRules, tags: Set<LiveTag>,
    in live: LiveResources, invalidation: Duration?
  ) {
    self.key = key
    self.tags = tags
    self.live = live
    clock = live.clock
    parser = resource.parser
    (progress, errorBody, sample) = (resource.progress, resource.errorBody, resource.sample)
    machine = LiveMachine(
      rules, readsStored: resource.request.permitsStored, invalidation: invalidation)
  }
}

// MARK: - Observers

extension LiveCore {
  /// Whether it has observers for whom it is loaded.
  var isObserved: Bool { !isSuspended && hasObservers }

  private var hasObservers: Bool { isRead || observerCount > 0 || !waiters.isEmpty }

  var isHeld: Bool { resource != nil || hasObservers || machine.hasWrites }

  /// Returns the object that programs hold, whose next read counts as observing.
  func held(in live: LiveResources) -> LiveResource<R> {
    isAwaitingRead = true
    if let resource { return resource }
    let made = LiveResource(self, in: live)
    resource = made
    hold()
    return made
  }

  func isIn(_ scope: InvalidationScope) -> Bool { scope.contains(key, tags) }

  func add(_ tags: Set<LiveTag>) { if !tags.isSubset(of: self.tags) { self.tags.formUnion(tags) } }

  /// Begins to observe after a property of the object was read.
  func observeByReading() {
    guard isAwaitingRead else { return }
    (isAwaitingRead, isRead, isSuspended) = (false, true, false)
    // Not at once: reading must change nothing, above all in a view that is being evaluated.
    live?.turns.schedule { [weak self] in self?.loadIfDue() }
  }

  /// Ends the observation by an object that was released.
  func endReading() {
    guard resource == nil else { return }
    (isRead, isAwaitingRead) = (false, false)
    leave()
  }

  func observe(_ id: UInt64, _ body: @escaping @MainActor (LiveState<R>) -> Void) {
    let isFirst = !isObserved
    isSuspended = false
    observerIDs.append(id)
    observers.append(body)
    observerCount += 1
    hold()
    // Another observer of a fresh value changes nothing.
    if isFirst || !isAtRest { loadIfDue() }
    scheduleNotifying()
  }

  func wait(_ id: UInt64, _ body: @escaping @MainActor (Result<R, any Error>) -> Void) {
    waiters[id] = body
    isSuspended = false
    hold()
  }

  func dismiss(_ id: UInt64) {
    if let index = index(of: id) {
      if observers[index] != nil { observerCount -= 1 }
      observers[index] = nil
      removeLeft()
    } else {
      waiters[id] = nil
    }
    if !isObserved { leave() }
  }

  /// Removes the places of observers that have left, once they are more than half of all: each costs little then.
  private func removeLeft() {
    guard !isNotifying, observers.count > 2 * observerCount else { return }
    let present = observers.indices.filter { observers[$0] != nil }
    (observerIDs, observers) = (present.map { observerIDs[$0] }, present.map { observers[$0] })
  }

  private func index(of id: UInt64) -> Int? {
    var range = observerIDs.indices
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      if observerIDs[middle] == id { return middle }
      range =
        observerIDs[middle] < id
        ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return nil
  }

  /// Whether another observer changes nothing.
  private var isAtRest: Bool {
    restsUntil.map { clock.now() < $0 } ?? false
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

// MARK: - Events

extension LiveCore {
  /// Performs an event, and those that come meanwhile after it: a change may call for another one,
  /// and so may the observers of a property.
  private func perform(_ event: @escaping (inout LiveMachine<R>) -> LiveEffects) {
    guard !isPerforming else {
      deferred.append(event)
      return
    }
    isPerforming = true
    pass(event)
    while !deferred.isEmpty { pass(deferred.removeFirst()) }
    isPerforming = false
  }

  /// Passes an event to the machine, publishes the changes, and carries out the effects.
  private func pass(_ event: (inout LiveMachine<R>) -> LiveEffects) {
    var next = machine
    let effects = event(&next)
    let changes = next.takeChanges()
    restsUntil = next.restsUntil
    if let resource, !changes.isEmpty {
      resource.publish(changes) { machine = next }
    } else {
      machine = next
    }
    if !changes.isEmpty { scheduleNotifying() }
    if effects.cancels { task = nil }
    if let policy = effects.starts { start(policy) }
    if let ended = effects.ended { finish(ended) }
    if !machine.isLoading { task = nil }
    schedule()
  }

  func load() { perform { $0.want() } }

  func reload() { perform { $0.reload() } }

  func invalidate() {
    guard !isReplaying else { return }
    perform { [self] in $0.invalidate(at: clock.now(), isObserved: isObserved) }
  }

  func signal() { perform { [self] in $0.signal(at: clock.now(), isObserved: isObserved) } }

  /// Loads for a new observer if that is due.
  private func loadIfDue() {
    perform { [self] in $0.loadIfDue(at: clock.now(), isObserved: isObserved) }
  }

  func clear() {
    isSuspended = true
    // Who has read the object observed it before. Its first read is still a new observation.
    if isRead { isAwaitingRead = false }
    perform { $0.clear() }
    if !isHeld { live?.remove(self) }
  }

  func set(_ value: R) {
    guard !isReplaying else { return }
    perform { [self] in $0.set(value, at: clock.now(), date: clock.date()) }
  }

  /// Changes the value; without one there is nothing to change.
  func update(_ change: @escaping (inout R) -> Void) {
    guard !isReplaying else { return }
    let change = onlyPresent(change)
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

  /// Whether a change is applied that was applied before, whose changes of other resources were made
  /// then.
  private var isReplaying: Bool { live?.isReplaying ?? false }

  /// Returns a change of an optional value that leaves `nil` as it is. Other changes that it makes are
  /// made the first time only, however often it is applied.
  func onlyPresent(_ change: @escaping (inout R) -> Void) -> (inout R?) -> Void {
    var isFirst = true
    return { [weak live] optional in
      guard var value = optional.take() else { return }
      let isNested = live?.isReplaying ?? false
      live?.isReplaying = isNested || !isFirst
      isFirst = false
      change(&value)
      live?.isReplaying = isNested
      optional = value
    }
  }

  func deadlinePassed(at now: Duration) {
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

  /// Enters the next deadline in the deadlines.
  private func schedule() {
    let next = [machine.deadline(isObserved: isObserved), releaseTime].compactMap(\.self).min()
    guard next != deadline else { return }
    deadline = next
    live?.deadlines.add(self)
  }
}

// MARK: - Loads

extension LiveCore {
  private func start(_ policy: Request.CachePolicy) {
    guard let live, let id = machine.load else { return }
    let (loader, clock, emptying) = (live.loader, clock, live.emptying)
    let resource = resource(reporting: id, live.turns)
    let turns = live.turns
    turns.beginLoad()
    task = CancelledTask(
      Task { [weak self] in
        defer { turns.endLoad() }
        _ = await emptying?.result
        let result: Result<LoadedValue<R>, any Error>
        do { result = .success(try await loader.load(resource, policy)) } catch {
          result = .failure(error)
        }
        let (now, date) = (clock.now(), clock.date())
        self?.perform { machine in
          switch (policy, result) {
          case (.cacheOnly, _): machine.readStored(id, try? result.get(), at: now, date: date)
          case (_, .success(let loaded)): machine.finish(id, loaded, at: now, date: date)
          case (_, .failure(let error)): machine.fail(id, error, at: now)
          }
        }
      })
  }

  private func resource(reporting id: UInt32, _ turns: LiveTurns) -> Resource<R> {
    let relay = ProgressRelay(turns) { [weak self] progress in
      self?.perform {
        $0.advance(id, progress)
        return LiveEffects()
      }
    }
    var resource = Resource(key.request, parser: parser)
    (resource.progress, resource.errorBody, resource.sample) = (progress, errorBody, sample)
    return resource.onProgress { relay($0) }
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

// MARK: - Notifying

extension LiveCore {
  private func scheduleNotifying() {
    guard !isChanged, observerCount > 0 else { return }
    isChanged = true
    live?.notifyNextTurn(self)
  }

  func notify() {
    (isChanged, isNotifying) = (false, true)
    let state = machine.state
    // A callback may end another observation. New observers are notified in the next turn.
    for index in observers.indices {
      let notify = observers[index]
      notify?(state)
    }
    isNotifying = false
    removeLeft()
  }
}
