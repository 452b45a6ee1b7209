import Foundation
import ResourceLoading

/// Where a library is.
enum LibraryPlace: Equatable, Sendable {
  /// In a file, which is made with its folder if it isn't there.
  case file(URL)
  /// In memory, and gone when the program ends.
  case memory
}

extension LibraryPlace {
  /// The place that a path on the command line means; `:memory:` is the name that SQLite gives to none.
  init(path: String) {
    self = path == ":memory:" ? .memory : .file(URL(filePath: path))
  }

  /// Where a user's library is: `feeds/feeds.sqlite` in the folder that the system has for what programs keep.
  static func standard(_ environment: [String: String]) -> LibraryPlace {
    #if os(Linux)
      // The XDG base directory specification: a relative path counts as none.
      let named = environment["XDG_DATA_HOME"].flatMap {
        $0.hasPrefix("/") ? URL(filePath: $0) : nil
      }
      let folder = named ?? .homeDirectory.appending(path: ".local/share")
    #else
      let folder = URL.applicationSupportDirectory
    #endif
    return .file(folder.appending(path: "feeds/feeds.sqlite"))
  }

  /// Whether there is something already.
  var exists: Bool {
    switch self {
    case .file(let file): FileManager.default.fileExists(atPath: file.path(percentEncoded: false))
    case .memory: false
    }
  }
}

extension LibraryPlace: CustomStringConvertible {
  /// The path, or a word for none.
  var description: String {
    switch self {
    case .file(let file): file.path(percentEncoded: false)
    case .memory: "memory"
    }
  }
}

extension URL {
  /// This file, after its folder was made.
  ///
  /// - Throws: `LoadError` of kind `store` where that isn't possible.
  func inFolder() throws -> URL {
    let folder = deletingLastPathComponent()
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      throw LoadError(
        .store, "the folder \(folder.path(percentEncoded: false)) can't be made",
        advice: "Name another file with --database", underlying: error)
    }
    return self
  }
}
