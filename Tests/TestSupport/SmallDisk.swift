package import Foundation

#if canImport(Glibc)
  import Glibc
#endif

/// A disk of 512 KiB, where mounting one is permitted.
package final class SmallDisk {
  /// Where it is mounted.
  package let url: URL

  /// Mounts it in a folder of its own; `nil` where that isn't possible.
  package init?() {
    url = FileManager.default.temporaryDirectory.appending(path: "disk-\(UUID().uuidString)")
    #if os(Linux)
      try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
      guard unsafe mount("none", path, "tmpfs", 0, "size=512k") == 0 else {
        unsafe rmdir(path)
        return nil
      }
    #else
      return nil
    #endif
  }

  /// Forbids every change from now on.
  package func makeReadOnly() -> Bool {
    #if os(Linux)
      unsafe mount("none", path, "tmpfs", UInt(MS_REMOUNT | MS_RDONLY), nil) == 0
    #else
      false
    #endif
  }

  deinit {
    #if os(Linux)
      unsafe umount2(path, Int32(MNT_DETACH))
      unsafe rmdir(path)
    #endif
  }

  private var path: String { url.path(percentEncoded: false) }
}
