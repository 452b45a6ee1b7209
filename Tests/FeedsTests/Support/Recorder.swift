import Synchronization

@testable import feeds

/// Records what is written to an output.
final class Recorder: Sendable {
  private let kept = Mutex("")

  /// Everything so far.
  var text: String { kept.withLock { $0 } }

  /// The lines so far.
  var lines: [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// An output that writes into this.
  func channel(isTerminal: Bool = false) -> Output {
    Output(write: { [self] text in kept.withLock { $0 += text } }, isTerminal: isTerminal)
  }
}
