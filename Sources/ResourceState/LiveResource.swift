public import Foundation
public import Observation
import PromiseModule
public import ResourceLoading

/// The state of a resource, shared by all its observers, and observable by user interfaces.
///
/// ```swift
/// List(issues.value ?? []) { issue in Text(issue.title) }
///   .overlay {
///     if issues.isLoading && issues.value == nil { ProgressView() }
///   }
///   .refreshable { await issues.reload() }
/// ```
///
/// Get it from ``LiveResources``. Reading a property for the first time loads the resource, in the
/// next turn of the main actor, unless there is a fresh value. Each property is observed on its own, and changes only when
/// it has another value: equal values, and a 304, change nothing.
///
/// Holding the object, once a property was read, is observing the resource: it follows intervals and signals until the
/// object is released.
@MainActor
public final class LiveResource<R: Sendable> {
  private let core: LiveCore<R>
  private let live: LiveResources
  private let registrar = ObservationRegistrar()

  init(_ core: LiveCore<R>, in live: LiveResources) {
    self.core = core
    self.live = live
  }

  deinit {
    live.turns.schedule { [core] in core.endReading() }
  }
}

extension LiveResource: Observable {}

extension LiveResource {
  /// The latest value; `nil` until there is one.
  public var value: R? {
    access(\.value)
    return core.machine.value
  }

  /// The error of the last load; `nil` if it succeeded. The value of an earlier load stays beside it.
  public var error: (any Error)? {
    access(\.error)
    return core.machine.error
  }

  /// Whether a load is under way.
  public var isLoading: Bool {
    access(\.isLoading)
    return core.machine.isLoading
  }

  /// Whether the value is no longer fresh; `false` without a value.
  public var isStale: Bool {
    access(\.isStale)
    return core.machine.isStale
  }

  /// When the server sent or confirmed the value, or the program set it.
  public var updated: Date? {
    access(\.updated)
    return core.machine.updated
  }

  /// The progress of the load under way; `nil` until something of a body was transferred.
  public var progress: TransferProgress? {
    access(\.progress)
    return core.machine.progress
  }

  /// The state as one of five cases, to switch over.
  public var phase: LivePhase<R> {
    LiveState(value: value, error: error, isLoading: isLoading).phase
  }

  /// All of the state.
  public var state: LiveState<R> {
    LiveState(
      value: value, error: error, isLoading: isLoading, isStale: isStale, updated: updated,
      progress: progress)
  }
}

extension LiveResource {
  /// The request.
  public var request: Request { core.key.request }

  /// Loads the resource from the server, and returns when that has ended: for `refreshable`.
  ///
  /// A load under way is joined. How it ended is in ``error``. When the calling task is cancelled, it returns at once, and
  /// the load goes on only if the resource has other observers.
  public func reload() async {
    let promise = live.promise(core) { $0.reload() }
    _ = try? await promise.get()
  }

  /// Marks the value as stale, and loads it again if the resource is observed.
  public func invalidate() { core.invalidate() }

  /// Sets the value.
  ///
  /// It counts as newer than whatever is under way: a load starts anew, and a write that fails doesn't roll it back.
  public func set(_ value: R) { core.set(value) }

  /// Changes the value; without one there is nothing to change.
  ///
  /// A load under way starts anew.
  public func update(_ change: @escaping (inout R) -> Void) { core.update(change) }
}

extension LiveResource {
  /// Makes a change, and notifies the observers of the properties that it concerns.
  func publish(_ parts: LiveParts, _ change: () -> Void) {
    notify(parts, isDone: false)
    change()
    notify(parts, isDone: true)
  }

  private func notify(_ parts: LiveParts, isDone: Bool) {
    if parts.contains(.value) { registrar.notify(self, \.value, isDone) }
    if parts.contains(.error) { registrar.notify(self, \.error, isDone) }
    if parts.contains(.isLoading) { registrar.notify(self, \.isLoading, isDone) }
    if parts.contains(.isStale) { registrar.notify(self, \.isStale, isDone) }
    if parts.contains(.updated) { registrar.notify(self, \.updated, isDone) }
    if parts.contains(.progress) { registrar.notify(self, \.progress, isDone) }
  }

  private func access<Member>(_ property: KeyPath<LiveResource, Member>) {
    registrar.access(self, keyPath: property)
    if core.isAwaitingRead { core.observeByReading() }
  }
}

extension ObservationRegistrar {
  /// Notifies the observers of a property before it changes, or when it has changed.
  func notify<Subject: Observable, Member>(
    _ subject: Subject, _ property: KeyPath<Subject, Member>, _ isDone: Bool
  ) {
    if isDone {
      didSet(subject, keyPath: property)
    } else {
      willSet(subject, keyPath: property)
    }
  }
}
