import Foundation

struct PagesEffects: Sendable {
  /// Whether the load under way is cancelled.
  var cancels = false
  /// The load to start; `nil` to start none.
  var starts: PageLoad?
  /// Whether the load for which tasks wait has ended.
  var ended = false
}

enum PageLoad: Sendable {
  /// The first page of a new iteration, either from the server only, or also from a cache.
  case first(asksServer: Bool)
  /// The next page of the current iteration.
  case next
}

struct LoadedPage<Element: Sendable>: Sendable {
  /// The elements; `nil` if there was no other page.
  var elements: [Element]?
  /// Whether there is no page after it.
  var isLast: Bool
}

/// The state of live pages as a value. Each event changes it and returns the effects to carry out.
struct PagesMachine<Element: Sendable> {
  /// The elements of all loaded pages, with the changes by writes.
  private(set) var elements: [Element] = []
  private(set) var pageCount = 0
  private(set) var hasMore = true
  private var loadError: (any Error)?
  private(set) var updated: Date?
  private(set) var load: UInt32?
  private let limit: Int?
  private let identity: (Element) -> AnyHashable
  /// The elements as the server has them; no base as long as no page is loaded.
  private var layers = LiveLayers<[Element]>()
  /// The positions of elements in the base.
  private var positions: [AnyHashable: Int] = [:]
  private var loadCount: UInt32 = 0
  /// Whether the pages were invalidated, here or in a cache.
  private var isInvalidated: Bool
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
    var pages: [[Element]] = []
  }

  /// `limit` is the maximum number of pages, or `nil` for all, and `identity` distinguishes
  /// elements.
  init(limit: Int?, isInvalidated: Bool, identity: @escaping (Element) -> AnyHashable) {
    self.limit = limit
    self.isInvalidated = isInvalidated
    self.identity = identity
    hasMore = limit.map { $0 > 0 } ?? true
  }

  var isLoading: Bool { load != nil }

  var isStale: Bool { isInvalidated && pageCount > 0 }

  /// The error of the last load, or else of a write that was refused.
  var error: (any Error)? { loadError ?? layers.refusal }
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
    guard !isBroken else { return beginReload(of: pageCount + 1, asksServer: isInvalidated) }
    start()
    return PagesEffects(starts: pageCount == 0 ? .first(asksServer: isInvalidated) : .next)
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
    isInvalidated = true
    if load != nil, reload != nil || pageCount == 0 { isFollowed = true }
    return isObserved && pageCount > 0 ? reloadAll() : PagesEffects()
  }

  mutating func clear() -> PagesEffects {
    let cancels = load != nil
    (layers, positions, pageCount, loadError) = (LiveLayers(), [:], 0, nil)
    show()
    (load, reload, updated, postponed) = (nil, nil, nil, nil)
    (isBroken, isInvalidated, isFollowed) = (false, false, false)
    hasMore = limit.map { $0 > 0 } ?? true
    return PagesEffects(cancels: cancels, ended: true)
  }

  /// Adds a page, or ends the list.
  mutating func take(
    _ id: UInt32, _ loaded: LoadedPage<Element>, date: Date
  ) -> PagesEffects {
    guard load == id else { return PagesEffects() }
    let page = loaded.elements
    guard var reload else {
      if pageCount == 0 { isInvalidated = isFollowed }
      if let page {
        var base = layers.base ?? []
        append(page, to: &base)
        layers.extend(to: base)
        pageCount += 1
        show()
      }
      return end(hasMore: !loaded.isLast, date)
    }
    if let page { reload.pages.append(page) }
    self.reload = reload
    if !loaded.isLast, reload.pages.count < reload.pageCount { return PagesEffects(starts: .next) }
    var base: [Element] = []
    positions = [:]
    for page in reload.pages { append(page, to: &base) }
    _ = layers.take(base, isFromServer: true)
    show()
    pageCount = reload.pages.count
    isInvalidated = isFollowed
    return end(hasMore: !loaded.isLast, date)
  }

  /// Ends a failed load. The shown elements are kept.
  mutating func fail(_ id: UInt32, _ failure: any Error) -> PagesEffects {
    guard load == id else { return PagesEffects() }
    (load, reload, isBroken, isFollowed) = (nil, nil, true, false)
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
    reload = Reload(pageCount: max(1, pageCount))
    return PagesEffects(starts: .first(asksServer: asksServer))
  }

  private mutating func end(hasMore: Bool, _ date: Date) -> PagesEffects {
    (load, reload, loadError, isBroken) = (nil, nil, nil, false)
    updated = date
    self.hasMore = hasMore && limit.map { pageCount < $0 } ?? true
    guard isFollowed else { return PagesEffects(ended: true) }
    isFollowed = false
    return beginReload(of: pageCount, asksServer: true)
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
    (load, reload, isBroken) = (nil, nil, true)
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
    isInvalidated = true
    // What is being loaded may be from before the write.
    if wasDurable, load != nil { return restart() }
    guard load == nil, !layers.blocksLoads else { return PagesEffects() }
    guard let count = postponed ?? (isObserved && pageCount > 0 ? pageCount : nil) else {
      return PagesEffects()
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
  private var wantedPages: Int { reload?.pageCount ?? pageCount + 1 }

  /// Begins anew to load what is being loaded.
  private mutating func restart() -> PagesEffects {
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
