/// Prepared statements by their text; of more than it may keep, those that were used last.
struct StatementCache {
  private static let limit = 128

  private var entries: [String: Entry] = [:]
  private var uses = 0

  private struct Entry {
    let statement: Statement
    var lastUse: Int
  }

  subscript(text: String) -> Statement? {
    mutating get {
      uses += 1
      entries[text]?.lastUse = uses
      return entries[text]?.statement
    }
    set {
      uses += 1
      entries[text] = newValue.map { Entry(statement: $0, lastUse: uses) }
      if entries.count > Self.limit { forgetHalf() }
    }
  }

  private mutating func forgetHalf() {
    let oldest = entries.sorted { $0.value.lastUse < $1.value.lastUse }.prefix(Self.limit / 2)
    for (text, _) in oldest { entries[text] = nil }
  }
}
