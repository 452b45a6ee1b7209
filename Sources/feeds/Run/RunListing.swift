import Foundation

/// Lists the items of a run: what is kept at once, and at the end what is new. No item is listed twice.
struct RunListing {
  private let run: FeedsRun
  private let choice: ItemChoice
  private var listed: Set<String> = []

  /// Lists what is kept. A document of JSON is written at the end, as a whole.
  ///
  /// - Throws: `LoadError` of kind `store`.
  init(of sources: [Source], _ choice: ItemChoice, in run: FeedsRun) async throws {
    self.run = run
    self.choice = choice
    guard !run.arguments.wantsJSON else { return }
    let items = try await run.library.items(choice)
    guard !items.isEmpty else { return }
    let feeds = try await run.library.feeds().filter { choice.feeds?.contains($0.url) ?? true }
    run.errors.note("Kept, \(Age.phrase(feeds.compactMap(\.read), now: run.now)):")
    try await write(items)
  }

  /// Lists what has come, and says what has failed.
  ///
  /// - Throws: `LoadError` of kind `store`.
  mutating func finish(_ results: [FeedResult]) async throws {
    let items = try await run.library.items(choice)
    if run.arguments.wantsJSON {
      let document = JSONDocument(results: results, items: items, now: run.now)
      run.output.write(try document.text())
    } else {
      try await finish(items.filter { !listed.contains($0.overallIdentity) }, results)
    }
    FailureListing(output: run.errors).write(results, now: run.now)
  }

  private mutating func finish(_ items: [KeptItem], _ results: [FeedResult]) async throws {
    let isContinued = !listed.isEmpty
    if isContinued, results.contains(where: { $0.change != nil }) {
      run.errors.note(results.changes(areListed: !items.isEmpty))
      if !items.isEmpty { run.output.line() }
    }
    try await write(items)
  }

  private mutating func write(_ items: [KeptItem]) async throws {
    listed.formUnion(items.map(\.overallIdentity))
    let names = try await run.library.feeds().map { ($0.url, $0.source.name) }
    let feeds = Dictionary(names) { first, _ in first }
    ItemListing(output: run.output)
      .write(items.map { ListedItem(feed: feeds[$0.feed] ?? Source($0.feed).name, item: $0) })
  }
}
