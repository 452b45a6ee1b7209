import Foundation
import PromiseModule
import ResourceLoading

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The three ways to load, as a table for tests.
enum Form: String, CaseIterable, Codable, Sendable {
  case callback
  case promise
  case await

  func load<R>(_ resource: Resource<R>, with loader: some Loader) async -> Result<R, any Error> {
    switch self {
    case .callback:
      await withCheckedContinuation { continuation in
        loader.load(resource) { continuation.resume(returning: $0) }
      }
    case .promise:
      await catching { try await loader.promise(for: resource).get() }
    case .await:
      await catching { try await loader.load(resource) }
    }
  }

  private func catching<R>(
    _ body: @Sendable () async throws -> R
  ) async -> Result<R, any Error> {
    do { return .success(try await body()) } catch { return .failure(error) }
  }
}

func makeSession() -> URLSession { URLSession(configuration: .ephemeral) }
