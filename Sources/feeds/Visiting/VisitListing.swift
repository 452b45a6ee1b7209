import Foundation

/// Lists the items of a run: what is kept at once, and at the end what is new. No item is listed twice.
struct VisitListing {
  private let visit: Visit
  private let choice: ItemChoice
  private var listed: Set<String> = []

  /// Lists what is kept. A document of JSON is written at the end, as a whole.
  ///
  /// - Throws: `LoadError` of kind `store`.
  init(of sources: [Source], _ choice: ItemChoice, in visit: Visit) async throws {
    self.visit = visit
    self.choice = choice
    guard !visit.arguments.wantsJSON else { return }
    let items = try await visit.library.items(choice)
    guard !items.isEmpty else { return }
    let feeds = try await visit.library.feeds().filter { choice.feeds?.contains($0.url) ?? true }
    visit.errors.note("Kept, \(Age.phrase(feeds.compactMap(\.read), now: visit.now)):")
    try await write(items)
  }

  /// Lists what has come, and says what has failed.
  ///
  /// - Throws: `LoadError` of kind `store`.
  mutating func finish(_ visits: [FeedVisit]) async throws {
    let items = try await visit.library.items(choice)
    if visit.arguments.wantsJSON {
      let document = VisitDocument(visits: visits, items: items, now: visit.now)
      visit.output.write(try document.text())
    } else {
      try await finish(items.filter { !listed.contains($0.overallIdentity) }, visits)
    }
    FailureListing(channel: visit.errors).write(visits, now: visit.now)
  }

  private mutating func finish(_ items: [KeptItem], _ visits: [FeedVisit]) async throws {
    let isContinued = !listed.isEmpty
    if isContinued, visits.contains(where: { $0.change != nil }) {
      visit.errors.note(VisitSummary(visits, isListed: !items.isEmpty).text)
      if !items.isEmpty { visit.output.line() }
    }
    try await write(items)
  }

  private mutating func write(_ items: [KeptItem]) async throws {
    listed.formUnion(items.map(\.overallIdentity))
    let names = try await visit.library.feeds().map { ($0.url, $0.source.name) }
    let feeds = Dictionary(names) { first, _ in first }
    ItemListing(channel: visit.output)
      .write(items.map { ListedItem(feed: feeds[$0.feed] ?? Source($0.feed).name, item: $0) })
  }
}
