import Foundation
import PromiseModule
import ResourceLoading
import Synchronization

/// A word from whoever keeps a list of feeds, if it comes in time.
///
/// It is loaded by callback: nobody waits for it, no step follows from it, and what it has to say is either
/// there at the end or left out.
final class Notice: Sendable {
  private let content = Mutex<String?>(nil)
  private let load = Mutex<LoadTask?>(nil)

  /// Starts to load the text at a URL, and returns at once.
  func start(_ url: URL, over loader: any Loader) {
    let task = loader.load(Resource.text(url), on: .inline) { [self] result in
      guard let text = try? result.get() else { return }
      content.withLock { $0 = PlainText.line(text) }
    }
    load.withLock { $0 = task }
  }

  /// The text if it has arrived by now. If it hasn't, its load is given up.
  func finish() -> String? {
    load.withLock { $0 }?.cancel()
    return content.withLock { $0 }
  }
}
