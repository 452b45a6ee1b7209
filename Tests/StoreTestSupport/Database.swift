package import Foundation
package import ResourceStore

/// A temporary database file, removed with its companions when the last reference goes away.
package final class Database: Sendable {
  package let file: URL
  private let folder: URL

  package init() throws {
    folder = FileManager.default.temporaryDirectory
      .appending(path: "StoreTestSupport-\(UUID().uuidString)")
    file = folder.appending(path: "it's a \"store\".sqlite")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  package func open(_ settings: SQLiteSettings = SQLiteSettings()) async throws -> SQLiteStore {
    try await SQLiteStore(file: file, settings: settings)
  }
}
