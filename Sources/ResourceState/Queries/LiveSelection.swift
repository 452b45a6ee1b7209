public import Foundation
public import Observation
public import ResourceLoading
import ResourcePrimitives

/// A live resource that depends on an input: on a value of another resource, or, with
/// ``LiveQuery``, on what the user types.
///
/// ```swift
/// let repositories = live.query(by: user, \.login) { .repositories(of: $0) }
/// ```
///
/// Nothing is loaded without an input, or before a property is read. When the input changes, the
/// load of the previous resource is cancelled unless it has other observers.
@MainActor
public class LiveSelection<Input: Equatable & Sendable, R: Sendable>: LiveMember {
  fileprivate let live: LiveResources
  fileprivate let registrar = ObservationRegistrar()
  private let keepsPrevious: Bool
  private let source: @MainActor () -> Input?
  private let make: @MainActor (Input) -> Resource<R>?
  /// The input from which the resource was chosen.
  private var chosen: Input?
  private var target: LiveResource<R>?
  private var previous: R?
  private var loops: [UInt64: AsyncStream<Void>.Continuation] = [:]
  /// Whether the next change will notify the loops.
  private var isTracked = false

  fileprivate init(
    in live: LiveResources, keepsPrevious: Bool, source: @escaping @MainActor () -> Input?,
    _ make: @escaping @MainActor (Input) -> Resource<R>?
  ) {
    self.live = live
    self.keepsPrevious = keepsPrevious
    self.source = source
    self.make = make
    live.add(self)
  }

  /// The input; `nil` for none.
  public var input: Input? { source() }

  /// The input for which the resource should be chosen.
  fileprivate var current: Input? { source() }

  func isIn(_ scope: InvalidationScope) -> Bool { false }

  func invalidate() {}

  func signal() {}

  func clear() { choose { (chosen, target, previous) = (nil, nil, nil) } }

  var deadline: LiveDeadline? { nil }
}

extension LiveSelection: Observable {}

extension LiveSelection {
  /// The live resource of the input; `nil` without one.
  public var resource: LiveResource<R>? {
    registrar.access(self, keyPath: \.resource)
    // A reader of this property also observes the input, and is notified by it.
    chooseCurrent()
    return target
  }

  /// The value of the input's resource, or otherwise the value for the previous input, if it is
  /// kept.
  public var value: R? { resource.flatMap { $0.value ?? previous } }

  /// Whether the value is for an earlier input.
  public var isPrevious: Bool { resource.map { $0.value == nil && previous != nil } ?? false }

  /// The error of the last load; `nil` if it succeeded.
  public var error: (any Error)? { resource?.error }

  /// Whether a load is under way.
  public var isLoading: Bool { resource?.isLoading ?? false }

  /// Whether the value is no longer fresh, or is for an earlier input.
  public var isStale: Bool { isPrevious || resource?.isStale ?? false }

  /// When the server sent or confirmed the value, or the program set it.
  public var updated: Date? { resource?.updated }

  /// The current values of all properties.
  public var state: LiveState<R> {
    guard let resource else { return LiveState() }
    var state = resource.state
    if state.value == nil, let previous { (state.value, state.isStale) = (previous, true) }
    return state
  }

  /// Loads the input's resource from the server, and returns when the load has ended.
  public func reload() async { await resource?.reload() }

  /// Returns the states: the current one, and each later one while the sequence is iterated.
  ///
  /// Of several states in one turn of the main actor, only the last is delivered. The sequence
  /// supports one loop.
  public func states() -> AsyncStream<LiveState<R>> {
    let (changes, change) = AsyncStream<Void>.ofLatest()
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

extension LiveSelection {
  /// Changes the choice of the resource, and notifies its observers.
  fileprivate func choose(_ change: () -> Void) {
    registrar.withMutation(of: self, keyPath: \.resource, change)
  }

  fileprivate func chooseCurrent() {
    let input = current
    guard input != chosen else { return }
    let last = target?.value ?? previous
    previous = keepsPrevious && input != nil ? last : nil
    chosen = input
    target = input.flatMap(make).map { live.resource($0) }
  }

  /// Notifies the loops, if there are any, when the state changes.
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

/// A live resource that depends on an input from the program, such as the text of a search.
///
/// ```swift
/// let search = live.query(debounce: .milliseconds(300), keepsPrevious: true) { (text: String) in
///   text.isEmpty ? nil : .search(text)
/// }
/// search.input = "swift"
/// ```
///
/// Only the resource of the last input is shown.
@MainActor
public final class LiveQuery<Input: Equatable & Sendable, R: Sendable>: LiveSelection<Input, R> {
  private let debounce: Duration?
  private var given: Input?
  /// The input that has remained the same for long enough.
  private var settled: Input?
  /// When the input has stayed the same for long enough.
  private var settling: LiveDeadline?

  fileprivate init(
    in live: LiveResources, debounce: Duration?, keepsPrevious: Bool,
    _ make: @escaping @MainActor (Input) -> Resource<R>?
  ) {
    self.debounce = debounce?.countable
    super.init(in: live, keepsPrevious: keepsPrevious, source: { nil }, make)
  }

  /// The input; `nil` for none. ``LiveResources/removeAll()`` removes it.
  public override var input: Input? {
    get {
      registrar.access(self, keyPath: \.input)
      return given
    }
    set {
      guard newValue != given else { return }
      give(newValue)
      guard let debounce, newValue != nil else { return settle() }
      settling = LiveDeadline(live.clock.now() + debounce, on: live.clock) { [weak self] in
        self?.settle()
      }
    }
  }

  fileprivate override var current: Input? { settled }

  override var deadline: LiveDeadline? { settling }

  override func clear() {
    (settling, settled) = (nil, nil)
    give(nil)
    super.clear()
  }

  private func give(_ input: Input?) {
    registrar.withMutation(of: self, keyPath: \.input) { given = input }
  }

  private func settle() {
    settling = nil
    guard settled != given else { return }
    choose {
      settled = given
      chooseCurrent()
    }
  }
}

extension LiveResources {
  /// Returns a resource that depends on an input from the program, such as the text of a search.
  ///
  /// - Parameters:
  ///   - debounce: How long the input has to remain the same before its resource is loaded; `nil`
  ///     to load it at once.
  ///   - keepsPrevious: Whether the value for the previous input is shown until there is a new one.
  ///   - resource: Returns the resource for an input; `nil` for none.
  public func query<Input: Equatable & Sendable, R>(
    debounce: Duration? = nil, keepsPrevious: Bool = false,
    _ resource: @escaping @MainActor (Input) -> Resource<R>?
  ) -> LiveQuery<Input, R> {
    LiveQuery(in: self, debounce: debounce, keepsPrevious: keepsPrevious, resource)
  }

  /// Returns a resource that depends on the value of another one. Nothing is loaded before that
  /// value exists.
  ///
  /// ```swift
  /// let repositories = live.query(by: user, \.login) { .repositories(of: $0) }
  /// ```
  ///
  /// - Parameters:
  ///   - other: The resource on which it depends. It is observed, too.
  ///   - part: A key path or a function that returns the relevant part of the other value.
  ///   - keepsPrevious: Whether the value for the previous part is shown until there is a new one.
  ///   - resource: Returns the resource for a part; `nil` for none.
  public func query<Other, Input: Equatable & Sendable, R>(
    by other: LiveResource<Other>, _ part: @escaping @MainActor (Other) -> Input?,
    keepsPrevious: Bool = false, _ resource: @escaping @MainActor (Input) -> Resource<R>?
  ) -> LiveSelection<Input, R> {
    LiveSelection(
      in: self, keepsPrevious: keepsPrevious, source: { other.value.flatMap(part) }, resource)
  }
}
