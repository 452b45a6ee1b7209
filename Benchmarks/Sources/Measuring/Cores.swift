import CCores
import Foundation

/// Which cores the threads of this process run on.
enum Cores {
  /// Does something with all threads on one core.
  ///
  /// Threads that are started meanwhile stay there too.
  static func narrowed<Result>(_ body: () throws -> Result) rethrows -> Result {
    let all = cores_of_this_thread()
    confineThreads(to: all & (~all &+ 1))
    defer { confineThreads(to: all) }
    return try body()
  }

  private static func confineThreads(to cores: UInt) {
    let threads = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")
    for thread in threads?.compactMap(Int32.init) ?? [] { cores_confine(thread, cores) }
  }
}
