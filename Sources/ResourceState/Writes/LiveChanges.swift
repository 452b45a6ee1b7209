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
    /// The same change of a value, a ``LiveTransform``, or of the elements of pages.
    let transform: AnyObject
    /// Whether it is one of live pages, which have the key of their first page.
    var isOfPages = false
    /// Makes the resource live if the change gives it a value.
    let create: (LiveResources) -> Void
    /// Acts on the live resource as far as there is one.
    let durable: (LiveResources, _ write: UInt64, LiveDurableStep) -> Void
  }

  package init() {}

  /// Changes the value of a resource if there is one.
  ///
  /// - Parameters:
  ///   - resource: The resource.
  ///   - change: Changes the value. While a write is under way, it may be called again with another
  ///     value.
  public mutating func update<R>(
    _ resource: Resource<R>, _ change: @escaping (inout R) -> Void
  ) {
    add(
      resource, creates: false, transform: Self.onPresent(change),
      apply: { entry, write in
        if let write {
          if let live = entry.live { entry.beginWrite(write, live.onlyPresent(change)) }
        } else {
          entry.update(change)
        }
      })
  }

  /// Changes the elements of live pages whose pages are arrays, if some are loaded.
  ///
  /// - Parameters:
  ///   - resource: The first page.
  ///   - change: Changes the elements of all loaded pages. While a write is under way, it may be
  ///     called again with other elements.
  public mutating func update<Element>(
    pagesOf resource: Resource<[Element]>, _ change: @escaping (inout [Element]) -> Void
  ) {
    update(pages: LiveKey(resource), change)
  }

  /// Changes the elements of live pages if some are loaded.
  ///
  /// - Parameters:
  ///   - resource: The first page.
  ///   - change: Changes the elements of all loaded pages. While a write is under way, it may be
  ///     called again with other elements.
  public mutating func update<R, Element: Sendable>(
    pagesOf resource: Resource<R>, _ change: @escaping (inout [Element]) -> Void
  ) {
    update(pages: LiveKey(resource), change)
  }

  private mutating func update<Element: Sendable>(
    pages key: LiveKey, _ change: @escaping (inout [Element]) -> Void
  ) {
    let transform = Self.onPresent(change)
    let new = Change(
      scope: .key(key),
      apply: { live, write in
        guard let pages: LivePages<Element> = live.pages(for: key) else { return nil }
        let change = live.onlyPresent(change)
        guard let write else {
          pages.update(change)
          return { _ in }
        }
        pages.beginWrite(write, change)
        return { pages.endWrite(write, succeeded: $0) }
      },
      transform: LiveTransform(transform), isOfPages: true,
      create: { _ in },
      durable: { live, write, step in
        guard let pages: LivePages<Element> = live.pages(for: key) else { return }
        switch step {
        case .begin: pages.beginDurableWrite(write, transform)
        case .end(let succeeded): pages.endWrite(write, succeeded: succeeded)
        case .refuse(let error): pages.noteRefusal(of: write, error)
        }
      })
    changes.append(new)
  }

  /// Sets the value of a resource, even if it has no observers yet.
  public mutating func set<R>(_ resource: Resource<R>, to value: R) {
    add(
      resource, creates: true, transform: { $0 = value },
      apply: { entry, write in
        if let write { entry.beginWrite(write) { $0 = value } } else { entry.set(value) }
      })
  }

  /// Marks a resource as stale when the write has ended.
  public mutating func invalidate<R>(_ resource: Resource<R>) {
    invalidations.insert(.key(LiveKey(resource)))
  }

  /// Marks all resources with a tag as stale when the write has ended.
  public mutating func invalidate(tag: LiveTag) { invalidations.insert(.tag(tag)) }

  /// Marks all resources at a path or below it as stale when the write has ended.
  public mutating func invalidate(below path: RequestPath) { invalidations.insert(.below(path)) }

  /// Returns a change of an optional value that leaves `nil` as it is.
  private static func onPresent<R>(_ change: @escaping (inout R) -> Void) -> (inout R?) -> Void {
    { optional in
      guard var value = optional.take() else { return }
      change(&value)
      optional = value
    }
  }

  private mutating func add<R>(
    _ resource: Resource<R>, creates: Bool, transform: @escaping (inout R?) -> Void,
    apply: @escaping (LiveEntry<R>, _ write: UInt64?) -> Void
  ) {
    let change = Change(
      scope: .key(LiveKey(resource)),
      apply: { live, write in
        let found = creates ? live.entry(resource, nil, []) : live.existing(resource)
        guard let entry = found else { return nil }
        apply(entry, write)
        entry.release()
        return { succeeded in
          if let write { entry.endWrite(write, succeeded: succeeded) }
        }
      },
      transform: LiveTransform(transform),
      create: { live in if creates { _ = live.entry(resource, nil, []) } },
      durable: { live, write, step in
        guard let entry = live.existing(resource) else { return }
        switch step {
        case .begin: entry.beginDurableWrite(write, transform)
        case .end(let succeeded): entry.endWrite(write, succeeded: succeeded)
        case .refuse(let error): entry.noteRefusal(of: write, error)
        }
      })
    changes.append(change)
  }
}

/// A step of a durable write.
enum LiveDurableStep {
  case begin
  case end(succeeded: Bool)
  case refuse((any Error)?)
}

/// A change of the value of a resource, which may have none.
@MainActor
final class LiveTransform<R> {
  let apply: (inout R?) -> Void

  init(_ apply: @escaping (inout R?) -> Void) { self.apply = apply }
}
