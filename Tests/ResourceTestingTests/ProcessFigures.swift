import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// What a process holds. Measured in exit tests, where no other test runs beside.
enum ProcessFigures {
  /// Open descriptors; Linux only, 0 elsewhere.
  static var descriptors: Int {
    entries("/proc/self/fd")
  }

  /// Threads; Linux only, 0 elsewhere.
  static var threads: Int {
    entries("/proc/self/task")
  }

  /// CPU time of all threads.
  static var processorTime: Duration {
    .microseconds(Int64(clock()) * 1_000_000 / Int64(CLOCKS_PER_SEC))
  }

  /// Takes all descriptors that are left, up to a limit of `most` in all.
  static func exhaustDescriptors(most: Int) -> [Int32] {
    setDescriptorLimit(most)
    var taken: [Int32] = []
    while case let descriptor = dup(0), descriptor >= 0 { taken.append(descriptor) }
    return taken
  }

  static func giveBack(_ descriptor: Int32) {
    _ = close(descriptor)
  }

  /// Allows as many descriptors as the system does.
  static func raiseDescriptorLimit() {
    setDescriptorLimit(.max)
  }

  private static func setDescriptorLimit(_ most: Int) {
    #if canImport(Glibc)
      let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
      let resource = RLIMIT_NOFILE
    #endif
    var limit = rlimit()
    getrlimit(resource, &limit)
    limit.rlim_cur = min(limit.rlim_max, rlim_t(most))
    setrlimit(resource, &limit)
  }

  private static func entries(_ directory: String) -> Int {
    (try? FileManager.default.contentsOfDirectory(atPath: directory).count) ?? 0
  }
}
