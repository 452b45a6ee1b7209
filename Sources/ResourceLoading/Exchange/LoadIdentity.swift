import Foundation
import ResourcePrimitives

/// The number of a load, the time when it began, and its observer.
struct LoadIdentity: Sendable {
  /// The number of the load within its client, from 1; 0 for loaders that don't count.
  let id: UInt64
  let clock: LoadClock
  /// When the load began, on its clock.
  let start: Duration
  let observer: (@Sendable (LoadEvent) -> Void)?

  init(
    id: UInt64 = 0, clock: LoadClock = .system, observer: (@Sendable (LoadEvent) -> Void)? = nil
  ) {
    self.id = id
    self.clock = clock
    self.observer = observer
    start = clock.now()
  }

  /// Creates the identity of work on behalf of several loads.
  init(sharedBy first: LoadIdentity, observer: @escaping @Sendable (LoadEvent) -> Void) {
    id = first.id
    clock = first.clock
    start = first.start
    self.observer = first.observer == nil ? nil : observer
  }
}
