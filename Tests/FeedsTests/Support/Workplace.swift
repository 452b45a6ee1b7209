import Foundation

/// A folder of a test's own with a library in it, removed when the last one lets go of it.
final class Workplace: Sendable {
  let folder: URL

  /// Where the library is.
  var database: URL { folder.appending(path: "kept.sqlite") }

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "FeedsTests-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// The names of the files.
  var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
  }

  /// The paths of all files in all folders.
  var files: [String] {
    get throws {
      try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { path in
        let file = folder.appending(path: path)
        let type = try FileManager.default.attributesOfItem(atPath: file.path)[.type]
        return type as? FileAttributeType != .typeDirectory
      }
    }
  }

  /// The permissions of a folder and of all that is in it, by their paths.
  func modes(in name: String) throws -> [String: Int] {
    let inside = try FileManager.default.subpathsOfDirectory(
      atPath: folder.appending(path: name).path)
    let paths = [name] + inside.map { "\(name)/\($0)" }
    return try paths.reduce(into: [:]) { modes, path in
      let attributes = try FileManager.default.attributesOfItem(
        atPath: folder.appending(path: path).path)
      modes[path] = (attributes[.posixPermissions] as? NSNumber)?.intValue
    }
  }

  /// Starts the program on the library.
  ///
  /// - Parameter words: The words behind `--database` and its file.
  func start(_ words: String...) throws -> RunningProgram {
    try RunningProgram(["--database", database.path] + words, in: self)
  }

  /// Runs the program on the library to its end.
  ///
  /// - Parameter words: The words behind `--database` and its file.
  func run(_ words: String...) async throws -> RunningProgram.End {
    try await RunningProgram(["--database", database.path] + words, in: self).end()
  }
}
