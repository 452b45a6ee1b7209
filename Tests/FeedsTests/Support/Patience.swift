import Foundation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Kills a process that doesn't end. Neither the time limit of a test nor cancellation ends the
/// wait for a process.
struct Patience {
  private let task: Task<Void, Never>

  /// - Parameter duration: Much longer than a test takes on a slow machine.
  init(with process: pid_t, for duration: Duration = .seconds(300)) {
    task = Task {
      guard (try? await Task.sleep(for: duration)) != nil else { return }
      kill(process, SIGKILL)
    }
  }

  func end() { task.cancel() }
}
