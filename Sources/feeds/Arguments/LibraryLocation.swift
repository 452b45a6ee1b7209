import Foundation

/// The location of a library.
enum LibraryLocation: Equatable, Sendable {
  /// In a file, which is made with its folder if it doesn't exist.
  case file(URL)
  /// In memory, and gone when the program ends.
  case memory

  /// The location for a path on the command line; `:memory:` is SQLite's name for memory.
  init(path: String) {
    self = path == ":memory:" ? .memory : .file(URL(filePath: path))
  }

  /// Returns the location of the user's own library: `feeds/feeds.sqlite` in the system's folder for data of
  /// programs.
  static func standard(_ environment: [String: String]) -> LibraryLocation {
    #if os(Linux)
      // The XDG base directory specification ignores relative paths.
      let named = environment["XDG_DATA_HOME"].flatMap {
        $0.hasPrefix("/") ? URL(filePath: $0) : nil
      }
      let folder = named ?? .homeDirectory.appending(path: ".local/share")
    #else
      let folder = URL.applicationSupportDirectory
    #endif
    return .file(folder.appending(path: "feeds/feeds.sqlite"))
  }

  /// Whether the library exists already.
  var exists: Bool {
    switch self {
    case .file(let file): FileManager.default.fileExists(atPath: file.path(percentEncoded: false))
    case .memory: false
    }
  }
}

extension LibraryLocation: CustomStringConvertible {
  var description: String {
    switch self {
    case .file(let file): file.path(percentEncoded: false)
    case .memory: "memory"
    }
  }
}
