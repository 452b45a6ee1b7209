import Foundation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Kills a process that doesn't end: a test that waits for it would wait for ever, since neither
/// its time limit nor cancelling ends the wait.
struct Patience {
  private let task: Task<Void, Never>

  /// - Parameter duration: Well above what a test takes on a slow machine.
  init(with process: pid_t, for duration: Duration = .seconds(300)) {
    task = Task {
      guard (try? await Task.sleep(for: duration)) != nil else { return }
      kill(process, SIGKILL)
    }
  }

  /// The process has ended.
  func end() { task.cancel() }
}
