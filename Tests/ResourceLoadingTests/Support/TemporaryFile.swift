import Foundation

/// A file that is there as long as this object is.
final class TemporaryFile: Sendable {
  let url: URL

  init(_ text: String) throws {
    url = FileManager.default.temporaryDirectory
      .appending(path: "resource-loading-\(UUID().uuidString).txt")
    try Data(text.utf8).write(to: url)
  }

  deinit { try? FileManager.default.removeItem(at: url) }
}
