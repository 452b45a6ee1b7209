import Foundation
import TestSupport

struct Workplace: Sendable {
  private let temporary: TemporaryFolder

  init() throws { temporary = try TemporaryFolder() }

  var folder: URL { temporary.url }

  var database: URL { temporary.file("kept.sqlite") }

  var names: [String] {
    get throws { try temporary.names }
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

  /// The permissions of a folder and everything in it, by path.
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

  func start(_ words: String...) throws -> RunningProgram {
    try RunningProgram(["--database", database.path] + words, in: self)
  }

  func run(_ words: String...) async throws -> RunningProgram.End {
    try await RunningProgram(["--database", database.path] + words, in: self).end()
  }
}
