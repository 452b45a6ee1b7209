import Foundation

#if canImport(Glibc)
  import Glibc
#endif

/// A disk of 512 KiB, where mounting one is permitted.
final class SmallDisk {
  let url: URL

  /// Mounts it in a folder; `nil` where that isn't possible.
  init?(in folder: URL) {
    url = folder.appending(path: "disk")
    #if os(Linux)
      try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
      guard mount("none", url.path, "tmpfs", 0, "size=512k") == 0 else { return nil }
    #else
      return nil
    #endif
  }

  /// Forbids every change from now on.
  func makeReadOnly() -> Bool {
    #if os(Linux)
      mount("none", url.path, "tmpfs", UInt(MS_REMOUNT | MS_RDONLY), nil) == 0
    #else
      false
    #endif
  }

  deinit {
    #if os(Linux)
      umount2(url.path, Int32(MNT_DETACH))
    #endif
  }
}
