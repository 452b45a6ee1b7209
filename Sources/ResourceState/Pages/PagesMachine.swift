import Foundation

/// The effects of an event of live pages.
struct PagesEffects: Sendable {
  /// Whether the load under way is cancelled.
  var cancels = false
  /// Whether the next page is loaded.
  var loads = false
  /// Whether that page is the first one of a new iteration.
  var restarts = false
  /// Whether the load that tasks wait for has ended.
  var ended = false
}

/// The rules of live pages, as a value: events in, effects out.
struct PagesMachine<Element: Sendable> {
  private(set) var elements: [Element] = []
  private(set) var pageCount = 0
  private(set) var hasMore = true
  private(set) var error: (any Error)?
  private(set) var isStale = false
  private(set) var updated: Date?
  private(set) var load: UInt32?
  private let limit: Int?
  private let identity: (Element) -> AnyHashable
  private var positions: [AnyHashable: Int] = [:]
  private var loadCount: UInt32 = 0
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
  ///   - identity: Returns the identity by which elements are distinguished.
  init(limit: Int?, identity: @escaping (Element) -> AnyHashable) {
    self.limit = limit
    self.identity = identity
    hasMore = limit.map { $0 > 0 } ?? true
  }

  var isLoading: Bool { load != nil }
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
    guard !isBroken else { return begin(Reload(pageCount: pageCount + 1)) }
    start()
    return PagesEffects(loads: true, restarts: pageCount == 0)
  }

  /// Loads as many pages as there are, and shows them in place of the others when all of them are there.
  mutating func reloadAll() -> PagesEffects {
    if load != nil, reload != nil { return PagesEffects() }
    let cancels = load != nil
    var effects = begin(Reload(pageCount: max(1, pageCount)))
    effects.cancels = cancels
    return effects
  }

  /// Marks the elements as stale, and loads them again if they were observed.
  mutating func invalidate(isObserved: Bool) -> PagesEffects {
    isStale = pageCount > 0
    if load != nil, reload != nil { isFollowed = true }
    return isObserved && pageCount > 0 ? reloadAll() : PagesEffects()
  }

  /// Forgets everything.
  mutating func clear() -> PagesEffects {
    let cancels = load != nil
    (elements, positions, pageCount, error) = ([], [:], 0, nil)
    (load, reload, updated) = (nil, nil, nil)
    (isBroken, isStale, isFollowed) = (false, false, false)
    hasMore = limit.map { $0 > 0 } ?? true
    return PagesEffects(cancels: cancels, ended: true)
  }

  /// Takes a page, or the end of the list.
  mutating func take(_ id: UInt32, _ page: [Element]?, date: Date) -> PagesEffects {
    guard load == id else { return PagesEffects() }
    guard var reload else {
      if let page {
        append(page)
        pageCount += 1
      }
      return end(hasMore: page != nil, date)
    }
    if let page { reload.pages.append(page) }
    self.reload = reload
    if page != nil, reload.pages.count < reload.pageCount { return PagesEffects(loads: true) }
    elements = []
    positions = [:]
    for page in reload.pages { append(page) }
    pageCount = reload.pages.count
    isStale = isFollowed
    return end(hasMore: page != nil, date)
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

  private mutating func begin(_ reload: Reload) -> PagesEffects {
    start()
    self.reload = reload
    return PagesEffects(loads: true, restarts: true)
  }

  private mutating func end(hasMore: Bool, _ date: Date) -> PagesEffects {
    (load, reload, error, isBroken) = (nil, nil, nil, false)
    updated = date
    self.hasMore = hasMore && limit.map { pageCount < $0 } ?? true
    guard isFollowed else { return PagesEffects(ended: true) }
    isFollowed = false
    return begin(Reload(pageCount: max(1, pageCount)))
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
