import Foundation
import ResourceLoading
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// All loaders, for parameterized tests of their common behaviour.
enum Means: CaseIterable, Codable, Sendable, CustomTestStringConvertible {
  case session
  case client(Engine)

  static var allCases: [Means] { [.session] + Engine.allCases.map(Means.client) }

  /// A loader that only this test uses.
  func makeLoader() -> any Loader {
    switch self {
    case .session: makeSession()
    case .client(let engine): Client(engine)
    }
  }

  var testDescription: String {
    switch self {
    case .session: "session"
    case .client(let engine): "client on \(engine.rawValue)"
    }
  }
}
