public import Foundation
public import Observation
import PromiseModule
public import ResourceLoading
import ResourcePrimitives

/// The elements of the loaded pages of a resource, observable by user interfaces.
///
/// ```swift
/// let issues = live.pages(of: .issues(of: "swift"), by: .link, maximumPages: 20)
/// await issues.loadNext()
/// ```
///
/// Get it from ``LiveResources/pages(of:by:maximumPages:window:tags:)``. The first read of a property
/// loads the first page. A reload keeps the shown elements until the same number of pages has
/// arrived. An element that arrives twice, because the server has moved it to another page, is
/// shown once, in its latest version. At most one load is under way at a time. Writes show their
/// expected changes by ``LiveChanges/update(pagesOf:_:)-(Resource<[Element]>,_)``; as with other
/// resources, nothing is loaded while one is under way.
@MainActor
public final class LivePages<Element: Sendable>: LiveMember {
  /// Loads the next page of one iteration over the pages.
  typealias NextPage = @MainActor () async throws -> LoadedPage<Element>

  let key: LiveKey
  private var tags: Set<LiveTag>
  private let live: LiveResources
  private let registrar = ObservationRegistrar()
  private let begin: @MainActor (_ from: Request?, _ asksServer: Bool) -> NextPage
  private var nextPage: NextPage?
  private var machine: PagesMachine<Element>
  private var waiters: [UInt64: Promise<Void>.Resolver] = [:]
  private var task: CancelledTask?
  private var reading = LiveReading.none
  /// The event that is being performed, and those that arrived in the meantime.
  private var events: [(inout PagesMachine<Element>) -> PagesEffects] = []

  init(
    _ key: LiveKey, tags: Set<LiveTag>, in live: LiveResources, _ machine: PagesMachine<Element>,
    _ begin: @escaping @MainActor (_ from: Request?, _ asksServer: Bool) -> NextPage
  ) {
    self.key = key
    self.tags = tags
    self.live = live
    self.machine = machine
    self.begin = begin
  }
}

extension LivePages: Observable {}

extension LivePages {
  /// The elements of all loaded pages.
  public var elements: [Element] { read(\.elements, machine.elements) }

  /// The number of pages that are kept.
  public var pageCount: Int { read(\.pageCount, machine.pageCount) }

  /// Whether there may be another page.
  public var hasMore: Bool { read(\.hasMore, machine.hasMore) }

  /// Whether a page before those that are kept was dropped, because they are as many as the window.
  public var hasPrevious: Bool { read(\.hasPrevious, machine.hasPrevious) }

  /// Whether a load is under way.
  public var isLoading: Bool { read(\.isLoading, machine.isLoading) }

  /// The error of the last load, or else of a durable write that was refused; `nil` for none.
  public var error: (any Error)? { read(\.error, machine.error) }

  /// Whether the elements were invalidated.
  public var isStale: Bool { read(\.isStale, machine.isStale) }

  /// The time at which the last page arrived.
  public var updated: Date? { read(\.updated, machine.updated) }
}

extension LivePages {
  /// Loads the next page, and returns when it has arrived. Use it at the end of a list. It joins a
  /// load that is under way.
  ///
  /// After an error, the previous pages are loaded again, too, because only they lead to the next
  /// one.
  public func loadNext() async { await wait { $0.loadNext() } }

  /// Loads the page before those that are kept, which has been dropped, and returns when it has
  /// arrived. Use it at the beginning of a list with a window.
  public func loadPrevious() async { await wait { $0.loadPrevious() } }

  /// Loads the shown number of pages from the server, and shows them when all have arrived. Use it
  /// in `refreshable`.
  public func reload() async { await wait { $0.reloadAll() } }

  /// Marks the elements as stale, and loads them again if a property was ever read.
  public func invalidate() { perform { [self] in $0.invalidate(isObserved: reading.isObserving) } }

  func isIn(_ scope: InvalidationScope) -> Bool { scope.contains(key, tags) }

  func beginWrite(_ write: UInt64, _ change: @escaping (inout [Element]?) -> Void) {
    perform { $0.beginWrite(write, change) }
  }

  func endWrite(_ write: UInt64, succeeded: Bool) {
    perform { [self] in
      $0.endWrite(write, succeeded: succeeded, isObserved: reading.isObserving)
    }
  }

  func beginDurableWrite(_ write: UInt64, _ change: @escaping (inout [Element]?) -> Void) {
    perform { $0.beginDurableWrite(write, change) }
  }

  func noteRefusal(of write: UInt64, _ error: (any Error)?) {
    perform { $0.noteRefusal(of: write, error) }
  }

  func update(_ change: @escaping (inout [Element]?) -> Void) { perform { $0.update(change) } }

  func signal() {
    if reading.isObserving, machine.isStale || machine.error != nil { perform { $0.reloadAll() } }
  }

  var summary: LiveSummary? {
    LiveSummary(
      kind: .pages, request: key.request, valueType: "\(Element.self)",
      hasValue: machine.pageCount > 0, isLoading: machine.isLoading, isStale: machine.isStale,
      error: machine.error, updated: machine.updated, observers: reading.isObserving ? 1 : 0,
      hasWrites: machine.hasWrites)
  }

  func clear() {
    // An object that was read before has observed already; the first read of another one is new.
    if reading.isObserving { reading = .none }
    nextPage = nil
    perform { $0.clear() }
  }
}

extension LivePages {
  private func read<Value>(_ property: KeyPath<LivePages, Value>, _ value: Value) -> Value {
    registrar.access(self, keyPath: property)
    let wasObserving = reading.isObserving
    if reading.begin(), !wasObserving { observe() }
    return value
  }

  private func observe() {
    // In the next turn, because reading must not change anything, especially while a view is being
    // evaluated.
    live.turns.schedule { [weak self] in
      guard let self, reading.isObserving else { return }
      perform { $0.observe() }
    }
  }

  /// Returns the object for a caller, whose first read counts as observing, and whose tags are
  /// added.
  fileprivate func handedOut(adding tags: Set<LiveTag> = []) -> LivePages {
    self.tags.formUnion(tags)
    reading.handOut()
    return self
  }

  private func wait(_ event: @escaping (inout PagesMachine<Element>) -> PagesEffects) async {
    let (promise, resolver) = Promise<Void>.pending()
    let id = live.nextID()
    waiters[id] = resolver
    perform(event)
    _ = try? await promise.get()
    waiters[id] = nil
  }

  /// Performs an event, then those that arrive in the meantime.
  private func perform(_ event: @escaping (inout PagesMachine<Element>) -> PagesEffects) {
    events.append(event)
    guard events.count == 1 else { return }
    while let event = events.first {
      pass(event)
      events.removeFirst()
    }
  }

  private func pass(_ event: (inout PagesMachine<Element>) -> PagesEffects) {
    var next = machine
    let effects = event(&next)
    publish(next)
    if effects.cancels { task = nil }
    if let start = effects.starts {
      switch start {
      case .first(let request, let asksServer):
        nextPage = begin(request, asksServer)
        load(nextPage)
      case .next: load(nextPage)
      case .previous(let request, let asksServer): load(begin(request, asksServer))
      }
    }
    if effects.ended {
      let waiters = waiters.values
      self.waiters = [:]
      for waiter in waiters { waiter.fulfill() }
    }
  }

  private func load(_ nextPage: NextPage?) {
    guard let id = machine.load, let nextPage else { return }
    task = live.startLoad { [weak self, clock = live.clock] in
      let result: Result<LoadedPage<Element>, any Error>
      do { result = .success(try await nextPage()) } catch { result = .failure(error) }
      self?.perform { machine in
        switch result {
        case .success(let page): machine.take(id, page, date: clock.date())
        case .failure(let error): machine.fail(id, error)
        }
      }
    }
  }

  private func publish(_ next: PagesMachine<Element>) {
    let old = machine
    let hasNewElements = !isEqual(old.elements, next.elements)
    let hasError = old.error != nil || next.error != nil
    func notify(isDone: Bool) {
      if hasNewElements { registrar.notify(self, \.elements, isDone) }
      if old.pageCount != next.pageCount { registrar.notify(self, \.pageCount, isDone) }
      if old.hasMore != next.hasMore { registrar.notify(self, \.hasMore, isDone) }
      if old.hasPrevious != next.hasPrevious { registrar.notify(self, \.hasPrevious, isDone) }
      if old.isLoading != next.isLoading { registrar.notify(self, \.isLoading, isDone) }
      if hasError { registrar.notify(self, \.error, isDone) }
      if old.isStale != next.isStale { registrar.notify(self, \.isStale, isDone) }
      if old.updated != next.updated { registrar.notify(self, \.updated, isDone) }
    }
    notify(isDone: false)
    machine = next
    notify(isDone: true)
  }
}

extension LiveResources {
  /// Returns the live pages of a resource whose pages are arrays. All callers get the same object
  /// while one of them holds it.
  ///
  /// - Parameters:
  ///   - resource: The first page.
  ///   - pagination: How to get from one page to the next.
  ///   - maximumPages: The maximum number of pages; `nil` for all.
  ///   - window: The most pages that are kept: loading another one drops the one at the other end.
  ///     `nil` for all.
  ///   - tags: Names of groups of resources that are invalidated together, in addition to those of
  ///     earlier callers.
  public func pages<Element: Identifiable & Sendable>(
    of resource: Resource<[Element]>, by pagination: Pagination<[Element]>,
    maximumPages: Int? = nil, window: Int? = nil, tags: Set<LiveTag> = []
  ) -> LivePages<Element> {
    pages(
      of: resource, by: pagination, maximumPages: maximumPages, window: window, tags: tags
    ) { $0 }
  }

  /// Returns the live pages of a resource. All callers get the same object while one of them holds
  /// it.
  ///
  /// - Parameters:
  ///   - resource: The first page.
  ///   - pagination: How to get from one page to the next.
  ///   - maximumPages: The maximum number of pages; `nil` for all.
  ///   - window: The most pages that are kept: loading another one drops the one at the other end.
  ///     `nil` for all.
  ///   - tags: Names of groups of resources that are invalidated together, in addition to those of
  ///     earlier callers.
  ///   - elements: A key path or a function that returns the elements of a page.
  public func pages<R, Element: Identifiable & Sendable>(
    of resource: Resource<R>, by pagination: Pagination<R>, maximumPages: Int? = nil,
    window: Int? = nil, tags: Set<LiveTag> = [], elements: @escaping @Sendable (R) -> [Element]
  ) -> LivePages<Element> {
    let key = LiveKey(resource)
    if let pages: LivePages<Element> = pages(for: key) { return pages.handedOut(adding: tags) }
    var options = PagingOptions()
    options.maximumPages = maximumPages
    options.readsAhead = false
    // A stored page may be from before a write that was answered lately.
    let isInvalidated =
      invalidations.latest(for: key, tags) != nil || durableWrites.hasAnswered(pagesOf: key)
    let machine = PagesMachine<Element>(
      limit: maximumPages, window: window, isInvalidated: isInvalidated
    ) { AnyHashable($0.id) }
    let policy = resource.request.options.cachePolicy
    let pages = LivePages(key, tags: tags, in: self, machine) {
      [loader, options] request, asksServer in
      var resource = resource
      if let request {
        resource.request = request
        resource.request.options.cachePolicy = policy
      }
      if asksServer, resource.request.permitsStored {
        resource.request.options.cachePolicy = .reload
      }
      let way = request == nil ? pagination : pagination.fromAnyPage
      let pages = loader.loader.pages(of: resource, by: way, options: options)
      let iterator = pages.makeAsyncIterator()
      return {
        // A copy of the iterator shares its position.
        var iterator = iterator
        let page = try await iterator.nextPage()
        return LoadedPage(
          elements: page.map { elements($0.value) }, isLast: iterator.isAtEnd,
          request: page?.request)
      }
    }
    add(pages)
    for (write, transform)
      in durableWrites.waiting(for: key, ofPages: true) as [(UInt64, LiveTransform<[Element]>)]
    {
      pages.beginDurableWrite(write, transform.apply)
    }
    return pages.handedOut()
  }
}
