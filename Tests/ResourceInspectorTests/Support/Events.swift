import Synchronization

/// Texts that are noted on any thread.
final class Events: Sendable {
  private let texts = Mutex<[String]>([])

  var all: [String] { texts.withLock { $0 } }

  func note(_ text: String) { texts.withLock { $0.append(text) } }
}
