import Foundation
import ResourceLoading
import TestSupport

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
  func file() -> URL { file("recording.har") }
}
