internal import Foundation

/// Where a database is.
enum DatabasePlace: Sendable {
  case file(URL)
  /// In the memory of the one connection that has it.
  case memory
}

extension DatabasePlace {
  /// The path as SQLite wants it.
  var path: String {
    switch self {
    case .file(let url): url.path(percentEncoded: false)
    case .memory: ":memory:"
    }
  }
}

extension DatabasePlace: CustomStringConvertible {
  var description: String {
    switch self {
    case .file(let url): "the database \(url.lastPathComponent)"
    case .memory: "a database in memory"
    }
  }
}
