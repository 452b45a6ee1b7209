import Synchronization

final class EntryLog: Sendable {
  private let kept = Mutex<[String]>([])
  var entries: [String] { kept.withLock(\.self) }
  @Sendable func append(_ entry: String) { kept.withLock { $0.append(entry) } }
}
