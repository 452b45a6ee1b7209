public import ResourceLoading

/// Changes of live resources that belong together: what a write is expected to change, or has changed.
@MainActor
public struct LiveChanges {
  private(set) var steps: [Step] = []

  /// A change of one resource.
  struct Step {
    let scope: InvalidationScope
    /// Applies the change for a write, or as a permanent one; `nil` if the step is an invalidation.
    var apply: ((LiveResources, _ write: UInt64?) -> (any LiveEntry)?)?
  }

  init() {}

  /// Changes the value of a resource; without one there is nothing to change.
  public mutating func update<R>(
    _ resource: Resource<R>, _ change: @escaping (inout R) -> Void
  ) {
    add(resource, creates: false) { core, write in
      if let write {
        core.beginWrite(write, core.onlyPresent(change))
      } else {
        core.update(change)
      }
    }
  }

  /// Sets the value of a resource, also of one that has no observers yet.
  public mutating func set<R>(_ resource: Resource<R>, to value: R) {
    add(resource, creates: true) { core, write in
      if let write { core.beginWrite(write) { $0 = value } } else { core.set(value) }
    }
  }

  /// Marks a resource as stale when the write has ended.
  public mutating func invalidate<R>(_ resource: Resource<R>) {
    steps.append(Step(scope: .key(LiveKey(resource))))
  }

  /// Marks all resources with a tag as stale when the write has ended.
  public mutating func invalidate(tag: LiveTag) {
    steps.append(Step(scope: .tag(tag)))
  }

  /// Marks all resources at a path or below it as stale when the write has ended.
  public mutating func invalidate(below path: RequestPath) {
    steps.append(Step(scope: .below(path)))
  }

  private mutating func add<R>(
    _ resource: Resource<R>, creates: Bool,
    _ apply: @escaping (LiveCore<R>, _ write: UInt64?) -> Void
  ) {
    steps.append(
      Step(scope: .key(LiveKey(resource))) { live, write in
        let found = creates ? live.core(resource, nil, []) : live.existing(resource)
        guard let core = found else { return nil }
        apply(core, write)
        core.release()
        return core
      })
  }
}
