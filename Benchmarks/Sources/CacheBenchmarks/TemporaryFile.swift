import Foundation

/// A file of its own for each database, removed with it.
final class TemporaryFile: Sendable {
  let url = FileManager.default.temporaryDirectory
    .appending(path: "CacheBenchmarks-\(UUID().uuidString).sqlite")

  deinit {
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: url.path + suffix)
    }
  }
}
