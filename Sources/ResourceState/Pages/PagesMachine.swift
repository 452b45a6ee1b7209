import Foundation
import ResourceLoading

struct PagesEffects: Sendable {
  /// Whether the load under way is cancelled.
  var cancels = false
  /// The load to start; `nil` to start none.
  var starts: PageLoad?
  /// Whether the load for which tasks wait has ended.
  var ended = false
}

enum PageLoad: Sendable {
  /// The first page of a new iteration, which begins at a request (with `nil` that of the resource),
  /// either from the server only, or also from a cache.
  case first(Request?, asksServer: Bool)
  /// The next page of the current iteration.
  case next
  /// One page beside the current iteration.
  case previous(Request, asksServer: Bool)
}

struct LoadedPage<Element: Sendable>: Sendable {
  /// The elements; `nil` if there was no other page.
  var elements: [Element]?
  /// Whether there is no page after it.
  var isLast: Bool
  /// The request of the page.
  var request: Request?
}

/// The state of live pages as a value. Each event changes it and returns the effects to carry out.
struct PagesMachine<Element: Sendable> {
  /// The elements of all loaded pages, with the changes by writes.
  private(set) var elements: [Element] = []
  private(set) var hasMore = true
  private var loadError: (any Error)?
  private(set) var updated: Date?
  private(set) var load: UInt32?
  private let limit: Int?
  /// The most pages that are kept; `nil` for all.
  private let window: Int?
  private let identity: (Element) -> AnyHashable
  /// The elements as the server has them; no base as long as no page is loaded.
  private var layers = LiveLayers<[Element]>()
  private var pages: [(elements: [Element], request: Request?)] = []
  /// The requests of the pages that were dropped before those that are kept.
  private var before: [Request] = []
  /// The request of the page that was dropped after those that are kept.
  private var after: Request?
  /// Whether the load under way is of the page before those that are kept, and whether one has to
  /// follow.
  private var (isPrevious, wantsPrevious) = (false, false)
  /// The positions of elements in the base.
  private var positions: [AnyHashable: Int] = [:]
  private var loadCount: UInt32 = 0
  /// Whether the pages were invalidated, here or in a cache.
  private var isInvalidated: Bool
  /// Whether they ever were, so that a cache may have old ones of those that aren't kept.
  private var wasInvalidated: Bool
  /// Whether another load has to follow the one under way, which began before an invalidation.
  private var isFollowed = false
  /// The pages that a reload has loaded so far; `nil` unless a reload is under way.
  private var reload: Reload?
  /// Whether the iteration ended with an error, so that the next page needs another one.
  private var isBroken = false
  /// The number of pages to load when no write stands in the way anymore; `nil` for none.
  private var postponed: Int?

  private struct Reload {
    let pageCount: Int
    var pages: [(elements: [Element], request: Request?)] = []
  }

  /// `limit` is the maximum number of pages, `window` that of pages that are kept, or `nil` for all,
  /// and `identity` distinguishes elements.
  init(
    limit: Int?, window: Int? = nil, isInvalidated: Bool,
    identity: @escaping (Element) -> AnyHashable
  ) {
    self.limit = limit
    self.window = window.map { max(1, $0) }
    self.isInvalidated = isInvalidated
    wasInvalidated = isInvalidated
    self.identity = identity
    hasMore = limit.map { $0 > 0 } ?? true
  }

  /// The number of pages that are kept.
  var pageCount: Int { pages.count }

  /// Whether a page before those that are kept was dropped.
  var hasPrevious: Bool { !before.isEmpty }

  var isLoading: Bool { load != nil }

  var isStale: Bool { isInvalidated && pageCount > 0 }

  /// The error of the last load, or else of a write that was refused.
  var error: (any Error)? { loadError ?? layers.refusal }

  var hasWrites: Bool { layers.hasWrites }
}

extension PagesMachine {
  /// Loads pages for an observer if there are none, or stale ones.
  mutating func observe() -> PagesEffects {
    guard load == nil else { return PagesEffects() }
    if pageCount == 0, loadError == nil { return loadNext() }
    return isStale ? reloadAll() : PagesEffects()
  }

  /// Loads the next page. Joins a load that is under way.
  mutating func loadNext() -> PagesEffects {
    guard load == nil else { return PagesEffects() }
    guard hasMore else { return PagesEffects(ended: true) }
    guard !layers.blocksLoads else { return postpone(pageCount + 1) }
    guard !isBroken else { return beginReload(of: pageCount + 1, asksServer: wasInvalidated) }
    start()
    let isBegun = pageCount > 0 && after == nil
    return PagesEffects(starts: isBegun ? .next : .first(after, asksServer: wasInvalidated))
  }

  /// Loads the page before those that are kept, after a load that is under way.
  mutating func loadPrevious() -> PagesEffects {
    guard let request = before.last else {
      wantsPrevious = false
      return PagesEffects(ended: load == nil)
    }
    guard load == nil, !layers.blocksLoads else {
      wantsPrevious = !isPrevious
      return PagesEffects()
    }
    start()
    (isPrevious, wantsPrevious) = (true, false)
    return PagesEffects(starts: .previous(request, asksServer: wasInvalidated))
  }

  /// Loads the current number of pages, and shows them when all have arrived.
  mutating func reloadAll() -> PagesEffects {
    if load != nil, reload != nil { return PagesEffects() }
    guard !layers.blocksLoads else { return postpone(pageCount) }
    let cancels = load != nil
    var effects = beginReload(of: pageCount, asksServer: true)
    effects.cancels = cancels
    return effects
  }

  /// Marks the elements as stale, and loads them again if they are observed.
  mutating func invalidate(isObserved: Bool) -> PagesEffects {
    markInvalid()
    if load != nil, reload != nil || pageCount == 0 { isFollowed = true }
    return isObserved && pageCount > 0 ? reloadAll() : PagesEffects()
  }

  mutating func clear() -> PagesEffects {
    let cancels = load != nil
    (layers, positions, pages, loadError) = (LiveLayers(), [:], [], nil)
    (before, after, isPrevious, wantsPrevious) = ([], nil, false, false)
    show()
    (load, reload, updated, postponed) = (nil, nil, nil, nil)
    (isBroken, isInvalidated, wasInvalidated, isFollowed) = (false, false, false, false)
    hasMore = limit.map { $0 > 0 } ?? true
    return PagesEffects(cancels: cancels, ended: true)
  }

  /// Adds a page, or ends the list.
  mutating func take(
    _ id: UInt32, _ loaded: LoadedPage<Element>, date: Date
  ) -> PagesEffects {
    guard load == id else { return PagesEffects() }
    if reload != nil { return takeReloaded(loaded, date) }
    if isPrevious {
      takePrevious(loaded)
      return end(hasMore: hasMore, date)
    }
    if pageCount == 0 { isInvalidated = isFollowed }
    after = nil
    // An empty page at the end is no reason to drop one.
    if let elements = loaded.elements, window == nil || !elements.isEmpty || pages.isEmpty {
      pages.append((elements, loaded.request))
      if let window, pageCount > window {
        dropFirst(pageCount - window)
        rebuild()
      } else {
        var base = layers.base ?? []
        append(elements, to: &base)
        layers.extend(to: base)
      }
      show()
    }
    return end(hasMore: !loaded.isLast, date)
  }

  private mutating func takePrevious(_ loaded: LoadedPage<Element>) {
    before.removeLast()
    // Without a page there, nothing is before the first one.
    guard let elements = loaded.elements else { return }
    pages.insert((elements, loaded.request), at: 0)
    if let window, pageCount > window, let last = pages.popLast() {
      (after, hasMore) = (last.request, true)
    }
    rebuild()
    show()
  }

  private mutating func takeReloaded(
    _ loaded: LoadedPage<Element>, _ date: Date
  ) -> PagesEffects {
    guard var reload else { return PagesEffects() }
    if let elements = loaded.elements { reload.pages.append((elements, loaded.request)) }
    self.reload = reload
    if !loaded.isLast, reload.pages.count < reload.pageCount { return PagesEffects(starts: .next) }
    if !before.isEmpty, reload.pages.allSatisfy(\.elements.isEmpty) {
      // The list has become so short that the window is behind its end.
      before = []
      return beginReload(of: reload.pageCount, asksServer: true)
    }
    (pages, after) = (reload.pages, nil)
    if let window {
      while pageCount > 1, pages.last?.elements.isEmpty == true { pages.removeLast() }
      dropFirst(max(0, pageCount - window))
    }
    rebuild(isFromServer: true)
    show()
    isInvalidated = isFollowed
    return end(hasMore: !loaded.isLast, date)
  }

  /// Ends a failed load. The shown elements are kept.
  mutating func fail(_ id: UInt32, _ failure: any Error) -> PagesEffects {
    guard load == id else { return PagesEffects() }
    // A page before the others leaves their iteration alone.
    (load, reload, isBroken, isFollowed) = (nil, nil, isBroken || !isPrevious, false)
    (isPrevious, wantsPrevious) = (false, false)
    if !(failure is CancellationError) { loadError = failure }
    return PagesEffects(ended: true)
  }
}

extension PagesMachine {
  private mutating func start() {
    loadCount &+= 1
    load = loadCount
  }

  /// Loads at least one page to replace the current ones.
  private mutating func beginReload(of pageCount: Int, asksServer: Bool) -> PagesEffects {
    start()
    isPrevious = false
    reload = Reload(pageCount: max(1, pageCount))
    let first = before.isEmpty ? nil : pages.first?.request
    return PagesEffects(starts: .first(first, asksServer: asksServer))
  }

  private mutating func end(hasMore: Bool, _ date: Date) -> PagesEffects {
    if !isPrevious { isBroken = false }
    (load, reload, loadError, isPrevious) = (nil, nil, nil, false)
    updated = date
    self.hasMore = hasMore && limit.map { before.count + pageCount < $0 } ?? true
    if isFollowed {
      isFollowed = false
      return beginReload(of: pageCount, asksServer: true)
    }
    return wantsPrevious ? loadPrevious() : PagesEffects(ended: true)
  }
}

// Writes. Compare ``LiveMachine``.
extension PagesMachine {
  /// Begins a write and applies its expected changes. No load runs until the write has ended.
  mutating func beginWrite(
    _ write: UInt64, _ apply: @escaping (inout [Element]?) -> Void
  ) -> PagesEffects {
    layers.begin(write, isDurable: false, apply)
    show()
    guard load != nil else { return PagesEffects() }
    postponed = max(postponed ?? 0, wantedPages)
    wantsPrevious = wantsPrevious || isPrevious
    (load, reload, isBroken, isPrevious) = (nil, nil, true, false)
    return PagesEffects(cancels: true)
  }

  /// Begins a write that may wait for days. Loads go on below its changes.
  mutating func beginDurableWrite(
    _ write: UInt64, _ apply: @escaping (inout [Element]?) -> Void
  ) -> PagesEffects {
    layers.begin(write, isDurable: true, apply)
    show()
    return PagesEffects()
  }

  /// Ends a write, and keeps or removes its changes. In both cases the server may have other
  /// elements.
  mutating func endWrite(
    _ write: UInt64, succeeded: Bool, isObserved: Bool
  ) -> PagesEffects {
    guard let wasDurable = layers.end(write, succeeded: succeeded) else { return PagesEffects() }
    show()
    markInvalid()
    // What is being loaded may be from before the write.
    if wasDurable, load != nil { return restart() }
    guard load == nil, !layers.blocksLoads else { return PagesEffects() }
    guard let count = postponed ?? (isObserved && pageCount > 0 ? pageCount : nil) else {
      return wantsPrevious ? loadPrevious() : PagesEffects()
    }
    postponed = nil
    return beginReload(of: count, asksServer: true)
  }

  mutating func noteRefusal(of write: UInt64, _ error: (any Error)?) -> PagesEffects {
    layers.noteRefusal(of: write, error)
    return PagesEffects()
  }

  /// Makes a permanent change, if there are elements.
  mutating func update(_ apply: @escaping (inout [Element]?) -> Void) -> PagesEffects {
    guard pageCount > 0 else { return PagesEffects() }
    layers.update(apply)
    show()
    return load == nil ? PagesEffects() : restart()
  }

  /// The number of pages that the load under way leads to.
  private var wantedPages: Int { reload?.pageCount ?? (isPrevious ? pageCount : pageCount + 1) }

  /// Begins anew to load what is being loaded.
  private mutating func restart() -> PagesEffects {
    wantsPrevious = wantsPrevious || isPrevious
    var effects = beginReload(of: wantedPages, asksServer: true)
    effects.cancels = true
    return effects
  }
}

extension PagesMachine {
  private mutating func show() { elements = layers.value ?? [] }

  /// Has a number of pages loaded when no write stands in the way anymore.
  private mutating func postpone(_ pageCount: Int) -> PagesEffects {
    postponed = max(postponed ?? 0, pageCount)
    return PagesEffects()
  }

  private mutating func dropFirst(_ count: Int) {
    before += pages.prefix(count).compactMap(\.request)
    pages.removeFirst(count)
  }

  private mutating func markInvalid() { (isInvalidated, wasInvalidated) = (true, true) }

  /// Makes a new base of the pages.
  private mutating func rebuild(isFromServer: Bool = false) {
    var base: [Element] = []
    positions = [:]
    for page in pages { append(page.elements, to: &base) }
    if isFromServer {
      _ = layers.take(base, isFromServer: true)
    } else {
      layers.extend(to: base)
    }
  }

  /// Appends new elements and replaces existing ones, because a server that moves elements returns
  /// some of them twice.
  private mutating func append(_ page: [Element], to base: inout [Element]) {
    for element in page {
      let id = identity(element)
      if let position = positions[id] {
        base[position] = element
      } else {
        positions[id] = base.count
        base.append(element)
      }
    }
  }
}
