public import ResourceLoading

extension LiveResources {
  /// Sets the value of a resource, even if it has no observers yet.
  ///
  /// It counts as newer than anything under way: a load is restarted, and a failing write doesn't
  /// roll it back.
  public func set<R>(_ resource: Resource<R>, to value: R) {
    let entry = entry(resource, nil, [])
    entry.set(value)
    entry.release()
  }

  /// Changes the value of a resource if there is one. A load under way is restarted.
  ///
  /// - Parameters:
  ///   - resource: The resource.
  ///   - change: Changes the value. While a write is under way, it may be called again with another
  ///     value.
  public func update<R>(_ resource: Resource<R>, _ change: @escaping (inout R) -> Void) {
    existing(resource)?.update(change)
  }

  /// Marks the value of a resource as stale. It is loaded from the server again: at once if it is
  /// observed, otherwise for the next observer.
  public func invalidate<R>(_ resource: Resource<R>) { invalidate(.key(LiveKey(resource))) }

  /// Marks the values of all resources with a tag as stale.
  public func invalidate(tag: LiveTag) { invalidate(.tag(tag)) }

  /// Marks the values of all resources at a path or below it as stale: `/users` includes
  /// `/users/1`, but not `/users2`.
  public func invalidate(below path: RequestPath) { invalidate(.below(path)) }

  /// Marks all values as stale.
  public func invalidateAll() { invalidate(.all) }
}
