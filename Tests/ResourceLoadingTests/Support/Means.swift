import Foundation
import ResourceLoading
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What a user can load with, as a table for tests of what is the same for all of them.
enum Means: CaseIterable, Codable, Sendable, CustomTestStringConvertible {
  case session
  case client(Engine)

  static var allCases: [Means] { [.session] + Engine.allCases.map(Means.client) }

  /// A loader that nothing else in the process shares.
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
