import Foundation
import ResourceLoading

/// The transports that a client can have, as a table for tests.
enum Engine: String, CaseIterable, Sendable {
  case urlSession
  #if Curl && os(Linux)
    case curl
  #endif

  func makeTransport() -> any Transport {
    switch self {
    case .urlSession: URLSessionTransport()
    #if Curl && os(Linux)
      case .curl: CurlTransport()
    #endif
    }
  }
}

/// A folder of a test's own, removed when the last one lets go of it.
final class TemporaryFolder: Sendable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(
      path: "ResourceTestingTests-\(UUID())", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// The URL of a file in it.
  func file(_ name: String = "recording.har") -> URL {
    url.appending(path: name, directoryHint: .notDirectory)
  }

  /// The names of the files in it.
  var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
  }
}
