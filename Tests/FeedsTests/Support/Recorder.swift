import Synchronization

@testable import feeds

final class Recorder: Sendable {
  private let kept = Mutex("")

  var text: String { kept.withLock { $0 } }

  var lines: [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  func channel(isTerminal: Bool = false) -> Output {
    Output(write: { [self] text in kept.withLock { $0 += text } }, isTerminal: isTerminal)
  }
}
