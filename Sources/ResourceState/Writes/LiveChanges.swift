public import ResourceLoading

/// Changes of live resources that belong to one write: those that it is expected to make, or those
/// that it has made.
@MainActor
public struct LiveChanges {
  private(set) var changes: [Change] = []
  /// The resources to mark as stale when the write has ended.
  private(set) var invalidations: Set<InvalidationScope> = []

  struct Change {
    let scope: InvalidationScope
    /// Applies the change for a write, or permanently if there is no write. Returns a function that
    /// ends the write; `nil` if the resource isn't live.
    let apply: (LiveResources, _ write: UInt64?) -> ((_ succeeded: Bool) -> Void)?
  }

  init() {}

  /// Changes the value of a resource if there is one.
  ///
  /// - Parameters:
  ///   - resource: The resource.
  ///   - change: Changes the value. While a write is under way, it may be called again with another
  ///     value.
  public mutating func update<R>(
    _ resource: Resource<R>, _ change: @escaping (inout R) -> Void
  ) {
    add(resource, creates: false) { entry, write in
      if let write {
        entry.beginWrite(write, entry.onlyPresent(change))
      } else {
        entry.update(change)
      }
    }
  }

  /// Sets the value of a resource, even if it has no observers yet.
  public mutating func set<R>(_ resource: Resource<R>, to value: R) {
    add(resource, creates: true) { entry, write in
      if let write { entry.beginWrite(write) { $0 = value } } else { entry.set(value) }
    }
  }

  /// Marks a resource as stale when the write has ended.
  public mutating func invalidate<R>(_ resource: Resource<R>) {
    invalidations.insert(.key(LiveKey(resource)))
  }

  /// Marks all resources with a tag as stale when the write has ended.
  public mutating func invalidate(tag: LiveTag) { invalidations.insert(.tag(tag)) }

  /// Marks all resources at a path or below it as stale when the write has ended.
  public mutating func invalidate(below path: RequestPath) { invalidations.insert(.below(path)) }

  private mutating func add<R>(
    _ resource: Resource<R>, creates: Bool,
    _ apply: @escaping (LiveEntry<R>, _ write: UInt64?) -> Void
  ) {
    changes.append(
      Change(scope: .key(LiveKey(resource))) { live, write in
        let found = creates ? live.entry(resource, nil, []) : live.existing(resource)
        guard let entry = found else { return nil }
        apply(entry, write)
        entry.release()
        return { succeeded in
          if let write { entry.endWrite(write, succeeded: succeeded) }
        }
      })
  }
}
