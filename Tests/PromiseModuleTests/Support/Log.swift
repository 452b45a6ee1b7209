final class Log<Entry: Sendable>: Sendable {
  private let all = Guarded<[Entry]>([])

  var entries: [Entry] { all.withLock { $0 } }

  func add(_ entry: Entry) {
    all.withLock { $0.append(entry) }
  }
}
