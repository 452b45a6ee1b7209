extension Promise {
  /// Makes a promise for each element of a sequence, and has so many of them under way at a time.
  ///
  /// ```swift
  /// let pages = Promise.map(urls, concurrency: 4) { url in session.promise(for: Resource(text: url)) }
  /// ```
  ///
  /// - Parameters:
  ///   - elements: What is to be mapped. It is read at once.
  ///   - concurrency: How many promises may be pending at a time, 1 or more.
  ///   - rule: What a failure does to the others.
  ///   - executor: Where the closure runs; the background if left out.
  ///   - body: Makes the promise of one element. What it throws counts as a rejection. It is called
  ///     once for each element, in their order, as long as there is no reason to stop.
  /// - Returns: A promise of all values in the order of the elements, of `[]` for none. Cancelling it
  ///   gives up what is running and starts nothing more.
  public static func map<Element: Sendable, Output: Sendable>(
    _ elements: some Sequence<Element>, concurrency: Int, onFailure rule: FailureRule = .stop,
    on executor: some PromiseExecutor = .default,
    _ body: @escaping @Sendable (Element) throws -> Promise<Output>
  ) -> Promise<[Output]> where Value == [Output] {
    precondition(concurrency > 0, "A map with a concurrency of \(concurrency) would never start.")
    let run = MapRun(Array(elements), rule: rule, lane: Lane(executor), body)
    let combined = Promise(origin: .upstream(run))
    var worklist = Worklist(lane: .inline)
    run.start(concurrency, for: combined, &worklist)
    worklist.drain()
    return combined
  }
}
