import Foundation

/// A file that exists for the lifetime of this object.
final class TemporaryFile: Sendable {
  let url: URL

  convenience init(_ text: String) throws { try self.init(Data(text.utf8)) }

  init(_ data: Data) throws {
    url = FileManager.default.temporaryDirectory
      .appending(path: "resource-loading-\(UUID().uuidString).txt")
    try data.write(to: url)
  }

  deinit { try? FileManager.default.removeItem(at: url) }
}
