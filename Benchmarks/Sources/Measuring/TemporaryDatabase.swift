import Foundation

/// A file of its own for each database, removed with it.
public final class TemporaryDatabase: Sendable {
  public let url = FileManager.default.temporaryDirectory
    .appending(path: "Benchmarks-\(UUID().uuidString).sqlite")

  public init() {}

  deinit {
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: url.path + suffix)
    }
  }
}
