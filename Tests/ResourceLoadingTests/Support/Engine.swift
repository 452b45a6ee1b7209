import Foundation
import ResourceLoading

/// The transports that a client can have, for parameterized tests.
enum Engine: String, CaseIterable, Codable, Sendable {
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

extension Client {
  /// A client with this engine's connections.
  convenience init(
    _ engine: Engine, baseURL: URL? = nil, _ configure: (inout Configuration) -> Void = { _ in }
  ) {
    self.init(baseURL: baseURL) {
      $0.transport = engine.makeTransport()
      configure(&$0)
    }
  }
}
