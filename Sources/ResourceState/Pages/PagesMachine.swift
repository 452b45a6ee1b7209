import Foundation

/// The effects of an event of live pages.
struct PagesEffects: Sendable {
  /// Whether the load under way is cancelled.
  var cancels = false
  /// Whether the next page is loaded.
  var loads = false
  /// Whether that page is the first one of a new iteration.
  var restarts = false
  /// Whether the new iteration asks the server, whatever a cache has.
  var asksServer = false
  /// Whether the load that tasks wait for has ended.
  var ended = false
}

/// The result of loading the next page.
struct LoadedPage<Element: Sendable>: Sendable {
  /// The elements; `nil` if there was no other page.
  var elements: [Element]?
  /// Whether there is no page after it.
  var isLast: Bool
}

/// The rules of live pages, as a value: events in, effects out.
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
  /// Whether what is loaded, or stored in a cache, was invalidated.
  private var isInvalidated: Bool
  /// Whether another load follows the one under way, which began before an invalidation.
  private var isFollowed = false
  /// The pages that a reload has brought so far; `nil` while the next page is loaded.
  private var reload: Reload?
  /// Whether the iteration ended with an error, so that the next page needs another one.
  private var isBroken = false

  private struct Reload {
    let pageCount: Int
    var pages: [[Element]] = []
  }

  /// - Parameters:
  ///   - limit: The most pages; `nil` for as many as there are.
  ///   - isInvalidated: Whether the pages were invalidated before.
  ///   - identity: Returns the identity by which elements are distinguished.
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
  /// Loads the first page for an observer, if that is due.
  mutating func observe() -> PagesEffects {
    guard load == nil else { return PagesEffects() }
    if pageCount == 0, error == nil { return loadNext() }
    return isStale ? reloadAll() : PagesEffects()
  }

  /// Loads the next page. One that is under way is joined.
  mutating func loadNext() -> PagesEffects {
    guard load == nil else { return PagesEffects() }
    guard hasMore else { return PagesEffects(ended: true) }
    guard !isBroken else { return beginReload(of: pageCount + 1, asksServer: isInvalidated) }
    start()
    return PagesEffects(loads: true, restarts: pageCount == 0, asksServer: isInvalidated)
  }

  /// Loads as many pages as there are, and shows them in place of the others when all of them are there.
  mutating func reloadAll() -> PagesEffects {
    if load != nil, reload != nil { return PagesEffects() }
    let cancels = load != nil
    var effects = beginReload(of: pageCount, asksServer: true)
    effects.cancels = cancels
    return effects
  }

  /// Marks the elements as stale, and loads them again if they were observed.
  mutating func invalidate(isObserved: Bool) -> PagesEffects {
    isInvalidated = true
    if load != nil, reload != nil || pageCount == 0 { isFollowed = true }
    return isObserved && pageCount > 0 ? reloadAll() : PagesEffects()
  }

  /// Forgets everything.
  mutating func clear() -> PagesEffects {
    let cancels = load != nil
    (elements, positions, pageCount, error) = ([], [:], 0, nil)
    (load, reload, updated) = (nil, nil, nil)
    (isBroken, isInvalidated, isFollowed) = (false, false, false)
    hasMore = limit.map { $0 > 0 } ?? true
    return PagesEffects(cancels: cancels, ended: true)
  }

  /// Takes a page, or the end of the list.
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
    if !loaded.isLast, reload.pages.count < reload.pageCount { return PagesEffects(loads: true) }
    elements = []
    positions = [:]
    for page in reload.pages { append(page) }
    pageCount = reload.pages.count
    isInvalidated = isFollowed
    return end(hasMore: !loaded.isLast, date)
  }

  /// Ends a load that has failed. The elements that are shown stay.
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

  /// Loads so many pages, at least one, in place of the present ones.
  private mutating func beginReload(of pageCount: Int, asksServer: Bool) -> PagesEffects {
    start()
    reload = Reload(pageCount: max(1, pageCount))
    return PagesEffects(loads: true, restarts: true, asksServer: asksServer)
  }

  private mutating func end(hasMore: Bool, _ date: Date) -> PagesEffects {
    (load, reload, error, isBroken) = (nil, nil, nil, false)
    updated = date
    self.hasMore = hasMore && limit.map { pageCount < $0 } ?? true
    guard isFollowed else { return PagesEffects(ended: true) }
    isFollowed = false
    return beginReload(of: pageCount, asksServer: true)
  }

  /// Appends what is new, and replaces what has come before: a server that moves elements gives some twice.
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
