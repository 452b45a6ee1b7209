package import Foundation
import ResourceLoading

/// The durable writes whose changes live resources show: those that wait, and those that were
/// answered lately, for responses that were stored before.
@MainActor
struct LiveDurableWrites {
  private var waiting: [(id: UInt64, changes: LiveChanges)] = []
  private var answered: [(date: Date, changes: LiveChanges)] = []

  /// The most answered writes that are kept.
  private static var limit: Int { 1000 }
}

extension LiveDurableWrites {
  mutating func begin(_ id: UInt64, _ changes: LiveChanges) { waiting.append((id, changes)) }

  /// Removes a write, and returns its changes.
  mutating func end(_ id: UInt64) -> LiveChanges? {
    guard let index = waiting.firstIndex(where: { $0.id == id }) else { return nil }
    return waiting.remove(at: index).changes
  }

  func changes(of id: UInt64) -> LiveChanges? { waiting.first { $0.id == id }?.changes }

  mutating func keep(_ changes: LiveChanges, answered date: Date) {
    answered.append((date, changes))
    if answered.count > Self.limit { answered.removeFirst(answered.count - Self.limit) }
  }

  /// Returns the changes of a resource, or of its pages, by writes that wait, in order.
  func waiting<R>(for key: LiveKey, ofPages: Bool = false) -> [(UInt64, LiveTransform<R>)] {
    waiting.flatMap { write in
      write.changes.transforms(of: key, ofPages: ofPages).map { (write.id, $0) }
    }
  }

  /// Whether pages were changed by a write that was answered lately.
  func hasAnswered(pagesOf key: LiveKey) -> Bool {
    answered.contains { $0.changes.changes.contains { $0.scope == .key(key) && $0.isOfPages } }
  }

  /// Returns the changes of a resource by writes that were answered after a date, in order.
  func transforms<R>(of key: LiveKey, since date: Date) -> [LiveTransform<R>] {
    answered.filter { $0.date >= date }.flatMap { $0.changes.transforms(of: key) }
  }
}

extension LiveChanges {
  fileprivate func transforms<R>(of key: LiveKey, ofPages: Bool = false) -> [LiveTransform<R>] {
    changes.filter { $0.scope == .key(key) && $0.isOfPages == ofPages }
      .compactMap { $0.transform as? LiveTransform<R> }
  }
}

// Writes that an outbox keeps; the module ResourceSync joins both.
extension LiveResources {
  /// Shows the changes of a write until ``endDurableWrite(_:answered:)`` or
  /// ``refuseDurableWrite(_:_:)``, also in resources that become live later.
  ///
  /// - Returns: The identity of the write in this process.
  package func beginDurableWrite(_ changes: LiveChanges) -> UInt64 {
    let id = nextID()
    // Before it is registered, so that it is begun once in each resource.
    for change in changes.changes { change.create(self) }
    durableWrites.begin(id, changes)
    for change in changes.changes { change.durable(self, id, .begin) }
    return id
  }

  /// Makes the changes of an answered write permanent together with those of its answer.
  package func endDurableWrite(_ id: UInt64, answered date: Date, _ further: LiveChanges) {
    guard let changes = durableWrites.end(id) else { return }
    for change in further.changes { _ = change.apply(self, nil) }
    for change in changes.changes { change.durable(self, id, .end(succeeded: true)) }
    keepAnsweredWrite(changes, further, date)
    invalidate(by: changes)
    invalidate(by: further)
  }

  /// Notes a write that was answered by another process or in an earlier run.
  package func keepAnsweredWrite(_ changes: LiveChanges, _ further: LiveChanges, _ date: Date) {
    durableWrites.keep(changes, answered: date)
    if !further.changes.isEmpty { durableWrites.keep(further, answered: date) }
  }

  /// Removes the changes of a write that wasn't answered. Its resources show the error, if there is
  /// one, until ``forgetRefusal(of:_:)``.
  package func refuseDurableWrite(_ id: UInt64, _ error: (any Error)?) {
    guard let changes = durableWrites.end(id) else { return }
    for change in changes.changes {
      change.durable(self, id, .end(succeeded: false))
      if let error { change.durable(self, id, .refuse(error)) }
    }
    invalidate(by: changes)
  }

  /// Removes the error of a write that was refused from the resources that it would have changed.
  package func forgetRefusal(of id: UInt64, _ changes: LiveChanges) {
    for change in changes.changes { change.durable(self, id, .refuse(nil)) }
  }

  private func invalidate(by changes: LiveChanges) {
    for scope in changes.invalidations { invalidate(scope) }
  }
}
