public import Foundation
public import Observation
public import ResourceLoading

/// A live resource that is chosen by an input: what the user types, or a value of another resource.
///
/// ```swift
/// let search = live.query(debounce: .milliseconds(300), keepsPrevious: true) { (text: String) in
///   text.isEmpty ? nil : .search(text)
/// }
/// search.input = "swift"
/// ```
///
/// Nothing is loaded without an input, or before a property is read. When the input changes, the load of the
/// earlier resource is cancelled unless it has other observers, and only the last input's resource is shown.
@MainActor
public final class LiveQuery<Input: Equatable & Sendable, R: Sendable>: LiveDeadlineOwner,
  LiveMember
{
  private let live: LiveResources
  private let registrar = ObservationRegistrar()
  private let debounce: Duration?
  private let keepsPrevious: Bool
  private let make: @MainActor (Input) -> Resource<R>?
  /// Reads the input; `nil` if the program sets it.
  private let source: (@MainActor () -> Input?)?
  private var given: Input?
  /// The input whose resource is shown.
  private var shown: Input?
  private var target: LiveResource<R>?
  private var previous: R?
  private(set) var deadline: Duration?
  /// The loops over the states.
  private var loops: [UInt64: AsyncStream<Void>.Continuation] = [:]
  /// Whether the loops will be notified of the next change.
  private var isTracked = false

  init(
    _ live: LiveResources, debounce: Duration?, keepsPrevious: Bool,
    source: (@MainActor () -> Input?)?, _ make: @escaping @MainActor (Input) -> Resource<R>?
  ) {
    self.live = live
    self.debounce = debounce?.countable
    self.keepsPrevious = keepsPrevious
    self.source = source
    self.make = make
    live.add(self)
  }

  /// The input; `nil` for none. Of a query that depends on another resource, it is read only: setting it does nothing.
  public var input: Input? {
    get {
      registrar.access(self, keyPath: \.input)
      return source?() ?? given
    }
    set {
      guard source == nil, newValue != given else { return }
      registrar.withMutation(of: self, keyPath: \.input) { given = newValue }
      guard let debounce, newValue != nil else { return show(newValue) }
      deadline = live.clock.now() + debounce
      live.deadlines.add(self)
    }
  }
}

extension LiveQuery: Observable {}

extension LiveQuery {
  /// The live resource of the input; `nil` without one.
  public var resource: LiveResource<R>? {
    registrar.access(self, keyPath: \.resource)
    guard let source else { return target }
    let input = source()
    // Reading this observes the source, so no notification is needed.
    if input != shown { switchTo(input) }
    return target
  }

  /// The value of the input's resource, or else that of the one before, if it is kept; `nil` without an input.
  public var value: R? {
    guard let resource else { return nil }
    guard let value = resource.value else { return previous }
    previous = nil
    return value
  }

  /// Whether the value is that of an earlier input.
  public var isPrevious: Bool { resource.map { $0.value == nil && previous != nil } ?? false }

  /// The error of the last load; `nil` if it succeeded.
  public var error: (any Error)? { resource?.error }

  /// Whether a load is under way.
  public var isLoading: Bool { resource?.isLoading ?? false }

  /// Whether the value is no longer fresh, or that of an earlier input.
  public var isStale: Bool { isPrevious || resource?.isStale ?? false }

  /// When the server sent or confirmed the value, or the program set it.
  public var updated: Date? { resource?.updated }

  /// The state as one of five cases, to switch over.
  public var phase: LivePhase<R> { state.phase }

  /// All of the state.
  public var state: LiveState<R> {
    guard let resource else { return LiveState() }
    var state = resource.state
    if state.value != nil {
      previous = nil
    } else if let previous {
      (state.value, state.isStale) = (previous, true)
    }
    return state
  }

  /// Loads the input's resource from the server, and returns when that has ended.
  public func reload() async { await resource?.reload() }

  /// Returns the states: the present one, and each that follows, for as long as the sequence is iterated.
  ///
  /// States that follow each other in one turn of the main actor are delivered as one: the last. The sequence is for one loop.
  public func states() -> AsyncStream<LiveState<R>> {
    let (changes, change) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let id = live.nextID()
    change.onTermination = { [weak self, turns = live.turns] _ in
      turns.schedule { self?.loops[id] = nil }
    }
    loops[id] = change
    change.yield()
    track()
    return changes.map(keeping: self) { [self] in state }
  }
}

extension LiveQuery {
  func deadlinePassed(at now: Duration) {
    deadline = nil
    show(given)
  }

  private func show(_ input: Input?) {
    deadline = nil
    guard input != shown else { return }
    registrar.withMutation(of: self, keyPath: \.resource) { switchTo(input) }
  }

  private func switchTo(_ input: Input?) {
    let last = target.flatMap(\.value) ?? previous
    previous = keepsPrevious && input != nil ? last : nil
    shown = input
    target = input.flatMap(make).map { live.resource($0) }
  }

  /// Notifies the loops of changes of the state, for as long as there are any.
  private func track() {
    guard !isTracked, !loops.isEmpty else { return }
    isTracked = true
    withObservationTracking {
      _ = state
    } onChange: { [weak self, turns = live.turns] in
      turns.schedule { self?.stateChanged() }
    }
  }

  private func stateChanged() {
    isTracked = false
    for loop in loops.values { loop.yield() }
    track()
  }
}

extension LiveQuery {
  func isIn(_ scope: InvalidationScope) -> Bool { false }

  func invalidate() {}

  func signal() {}

  func clear() {
    deadline = nil
    registrar.withMutation(of: self, keyPath: \.input) { given = nil }
    registrar.withMutation(of: self, keyPath: \.resource) {
      (shown, target, previous) = (nil, nil, nil)
    }
  }
}

extension LiveResources {
  /// Returns a resource that is chosen by an input which the program sets, such as the text of a search.
  ///
  /// - Parameters:
  ///   - debounce: How long the input has to stay the same before its resource is loaded; `nil` for no time.
  ///   - keepsPrevious: Whether the value of the input before is shown until there is another one.
  ///   - resource: Makes the resource of an input, or `nil` if there is none.
  public func query<Input: Equatable & Sendable, R>(
    debounce: Duration? = nil, keepsPrevious: Bool = false,
    _ resource: @escaping @MainActor (Input) -> Resource<R>?
  ) -> LiveQuery<Input, R> {
    LiveQuery(self, debounce: debounce, keepsPrevious: keepsPrevious, source: nil, resource)
  }

  /// Returns a resource that depends on the value of another one. Nothing is loaded before that is there.
  ///
  /// ```swift
  /// let repositories = live.query(by: user, \.login) { .repositories(of: $0) }
  /// ```
  ///
  /// - Parameters:
  ///   - other: The resource that it depends on. It is observed, too.
  ///   - part: Finds the part of its value that counts: a key path or a function.
  ///   - keepsPrevious: Whether the value for the part before is shown until there is another one.
  ///   - resource: Makes the resource of a part, or `nil` if there is none.
  public func query<Other, Input: Equatable & Sendable, R>(
    by other: LiveResource<Other>, _ part: @escaping @MainActor (Other) -> Input?,
    keepsPrevious: Bool = false, _ resource: @escaping @MainActor (Input) -> Resource<R>?
  ) -> LiveQuery<Input, R> {
    LiveQuery(
      self, debounce: nil, keepsPrevious: keepsPrevious, source: { other.value.flatMap(part) },
      resource)
  }
}
