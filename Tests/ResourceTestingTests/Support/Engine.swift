import Foundation
import ResourceLoading
import TestSupport

/// The engines of clients, as arguments of tests.
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

extension TemporaryFolder {
  /// The URL of a recording in the folder.
  func file() -> URL { file("recording.har") }
}
