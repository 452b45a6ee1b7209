package import Foundation

/// The open descriptors of this process.
package enum Descriptors {
  /// The number of descriptors of files in a folder. Zero where the platform has no list.
  package static func open(in folder: URL) -> Int {
    let path = folder.resolvingSymlinksInPath().path(percentEncoded: false)
    let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return all.count { number in
      let target = try? FileManager.default.destinationOfSymbolicLink(
        atPath: "/proc/self/fd/\(number)")
      return target?.hasPrefix(path) == true
    }
  }
}

#if os(Linux)
  extension Descriptors {
    /// Sets the limit of this process's descriptors, and returns the previous one; only for exit
    /// tests.
    @discardableResult
    package static func setLimit(_ count: rlim_t) -> rlim_t {
      let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
      var limit = rlimit()
      getrlimit(resource, &limit)
      let before = limit.rlim_cur
      limit.rlim_cur = count
      setrlimit(resource, &limit)
      return before
    }
  }
#endif
