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
  private(set) var elements: [Element] = []
  private(set) var pageCount = 0
  private(set) var hasMore = true
  private(set) var error: (any Error)?
  private(set) var updated: Date?
  private(set) var load: UInt32?
  private let limit: Int?
  private let identity: (Element) -> AnyHashable
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
}

extension PagesMachine {
  /// Loads pages for an observer if there are none, or stale ones.
  mutating func observe() -> PagesEffects {
    guard load == nil else { return PagesEffects() }
    if pageCount == 0, error == nil { return loadNext() }
    return isStale ? reloadAll() : PagesEffects()
  }

  /// Loads the next page. Joins a load that is under way.
  mutating func loadNext() -> PagesEffects {
    guard load == nil else { return PagesEffects() }
    guard hasMore else { return PagesEffects(ended: true) }
    guard !isBroken else { return beginReload(of: pageCount + 1, asksServer: isInvalidated) }
    start()
    return PagesEffects(starts: pageCount == 0 ? .first(asksServer: isInvalidated) : .next)
  }

  /// Loads the current number of pages, and shows them when all have arrived.
  mutating func reloadAll() -> PagesEffects {
    if load != nil, reload != nil { return PagesEffects() }
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
    (elements, positions, pageCount, error) = ([], [:], 0, nil)
    (load, reload, updated) = (nil, nil, nil)
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
        append(page)
        pageCount += 1
      }
      return end(hasMore: !loaded.isLast, date)
    }
    if let page { reload.pages.append(page) }
    self.reload = reload
    if !loaded.isLast, reload.pages.count < reload.pageCount { return PagesEffects(starts: .next) }
    elements = []
    positions = [:]
    for page in reload.pages { append(page) }
    pageCount = reload.pages.count
    isInvalidated = isFollowed
    return end(hasMore: !loaded.isLast, date)
  }

  /// Ends a failed load. The shown elements are kept.
  mutating func fail(_ id: UInt32, _ failure: any Error) -> PagesEffects {
    guard load == id else { return PagesEffects() }
    (load, reload, isBroken, isFollowed) = (nil, nil, true, false)
    if !(failure is CancellationError) { error = failure }
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
    (load, reload, error, isBroken) = (nil, nil, nil, false)
    updated = date
    self.hasMore = hasMore && limit.map { pageCount < $0 } ?? true
    guard isFollowed else { return PagesEffects(ended: true) }
    isFollowed = false
    return beginReload(of: pageCount, asksServer: true)
  }

  /// Appends new elements and replaces existing ones, because a server that moves elements returns
  /// some of them twice.
  private mutating func append(_ page: [Element]) {
    for element in page {
      let id = identity(element)
      if let position = positions[id] {
        elements[position] = element
      } else {
        positions[id] = elements.count
        elements.append(element)
      }
    }
  }
}
