import Foundation
import ResourceStore

/// A database file of a test's own, removed with its companions when the last one lets go of it.
final class Database: Sendable {
  let file: URL
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appending(path: "ResourceStoreTests-\(UUID().uuidString)")
    file = folder.appending(path: "it's a \"store\".sqlite")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func open(_ settings: SQLiteSettings = SQLiteSettings()) async throws -> SQLiteStore {
    try await SQLiteStore(file: file, settings: settings)
  }
}
