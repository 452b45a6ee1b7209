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
/// Get it from ``LiveResources``. The first read of a property loads the resource, in the next turn
/// of the main actor, unless there is a fresh value. Each property is observed separately and
/// changes only when its value does: an equal value, or a 304, changes nothing.
///
/// Once a property has been read, an object observes the resource until it is released, so the
/// resource is loaded at intervals and after signals.
@MainActor
public final class LiveResource<R: Sendable> {
  private let entry: LiveEntry<R>
  private let live: LiveResources
  private let registrar = ObservationRegistrar()

  init(_ entry: LiveEntry<R>, in live: LiveResources) {
    self.entry = entry
    self.live = live
  }

  deinit {
    live.turns.schedule { [entry] in entry.endReading() }
  }
}

extension LiveResource: Observable {}

extension LiveResource {
  /// The latest value; `nil` until there is one.
  public var value: R? { read(\.value, entry.machine.value) }

  /// The error of the last load; `nil` if it succeeded. The value of an earlier load is kept.
  public var error: (any Error)? { read(\.error, entry.machine.error) }

  /// Whether a load is under way.
  public var isLoading: Bool { read(\.isLoading, entry.machine.isLoading) }

  /// Whether the value is no longer fresh; `false` without a value.
  public var isStale: Bool { read(\.isStale, entry.machine.isStale) }

  /// When the server sent or confirmed the value, or the program set it.
  public var updated: Date? { read(\.updated, entry.machine.updated) }

  /// The progress of the load under way; `nil` until part of a body has been transferred.
  public var progress: TransferProgress? { read(\.progress, entry.machine.progress) }

  /// The current values of all properties.
  public var state: LiveState<R> {
    LiveState(
      value: value, error: error, isLoading: isLoading, isStale: isStale, updated: updated,
      progress: progress)
  }
}

extension LiveResource {
  /// The request.
  public var request: Request { entry.key.request }

  /// Loads the resource from the server, and returns when the load has ended. Use it in
  /// `refreshable`.
  ///
  /// It joins a load that is under way. The outcome is in ``error``. If the calling task is
  /// cancelled, this returns at once, and the load continues only if the resource has other
  /// observers.
  public func reload() async {
    let promise = live.promise(entry) { $0.reload() }
    _ = try? await promise.get()
  }

  /// Marks the value as stale, and loads it again if the resource is observed.
  public func invalidate() { entry.invalidate() }

  /// Sets the value.
  ///
  /// It counts as newer than anything under way: a load is restarted, and a failing write doesn't
  /// roll it back.
  public func set(_ value: R) { entry.set(value) }

  /// Changes the value if there is one. A load under way is restarted.
  ///
  /// - Parameter change: Changes the value. While a write is under way, it may be called again with
  ///   another value.
  public func update(_ change: @escaping (inout R) -> Void) { entry.update(change) }
}

extension LiveResource {
  /// Changes something, and notifies the observers of the properties that it affects.
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

  private func read<Member>(
    _ property: KeyPath<LiveResource, Member>, _ value: Member
  ) -> Member {
    registrar.access(self, keyPath: property)
    entry.noteRead()
    return value
  }
}

extension ObservationRegistrar {
  /// Notifies the observers of a property before or after it changes.
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
