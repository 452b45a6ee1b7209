import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// What a process uses. It is measured in exit tests, in which no other test runs.
enum ProcessFigures {
  /// Open descriptors; Linux only, 0 elsewhere.
  static var descriptors: Int {
    entries("/proc/self/fd")
  }

  /// Threads; Linux only, 0 elsewhere.
  static var threads: Int {
    entries("/proc/self/task")
  }

  static var processorTime: Duration {
    .microseconds(Int64(clock()) * 1_000_000 / Int64(CLOCKS_PER_SEC))
  }

  /// Raises the limit of descriptors to the system's maximum.
  static func raiseDescriptorLimit() {
    limitDescriptors(to: .max)
  }

  /// Limits new descriptors to numbers below `most`, and returns the previous limit. Existing ones
  /// stay open.
  @discardableResult
  static func limitDescriptors(to most: Int) -> Int {
    #if canImport(Glibc)
      let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
      let resource = RLIMIT_NOFILE
    #endif
    var limit = rlimit()
    getrlimit(resource, &limit)
    let former = Int(clamping: limit.rlim_cur)
    limit.rlim_cur = min(limit.rlim_max, rlim_t(most))
    setrlimit(resource, &limit)
    return former
  }

  private static func entries(_ directory: String) -> Int {
    (try? FileManager.default.contentsOfDirectory(atPath: directory).count) ?? 0
  }
}
