import Foundation

/// What this process has open.
enum Descriptors {
  /// How many descriptors lead into a folder. Zero where the platform doesn't tell.
  static func open(in folder: URL) -> Int {
    let path = folder.resolvingSymlinksInPath().path(percentEncoded: false)
    let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return all.count { number in
      let target = try? FileManager.default.destinationOfSymbolicLink(
        atPath: "/proc/self/fd/\(number)")
      return target?.hasPrefix(path) == true
    }
  }
}
