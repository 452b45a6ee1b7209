import Foundation
import FoundationNetworking

extension URLSession {
  /// Each side of a row has a session of its own, configured alike.
  public static func makeBare() -> URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    return URLSession(configuration: configuration)
  }

  /// What one writes without a library: the least that doesn't take an error page for an answer.
  public func decode<Value: Decodable & Sendable>(
    _ type: Value.Type, at url: URL, with decoder: JSONDecoder,
    willDecode: @escaping @Sendable () -> Void = {},
    _ completion: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) {
    var request = URLRequest(url: url)
    request.setValue("application/json", forHTTPHeaderField: "Accept")
    let task = dataTask(with: request) { data, response, error in
      completion(
        Result {
          guard let data, (response as? HTTPURLResponse)?.statusCode == 200 else {
            throw error ?? URLError(.badServerResponse)
          }
          willDecode()
          return try decoder.decode(type, from: data)
        })
    }
    task.resume()
  }

  /// The same, awaited.
  public func decode<Value: Decodable & Sendable>(
    _ type: Value.Type, at url: URL, with decoder: JSONDecoder,
    willDecode: @escaping @Sendable () -> Void = {}
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      decode(type, at: url, with: decoder, willDecode: willDecode) { continuation.resume(with: $0) }
    }
  }

  /// The body, as it came.
  public func bytes(of url: URL) async throws -> Data {
    try await withCheckedThrowingContinuation { continuation in
      let task = dataTask(with: url) { data, response, error in
        guard let data, (response as? HTTPURLResponse)?.statusCode == 200 else {
          return continuation.resume(throwing: error ?? URLError(.badServerResponse))
        }
        continuation.resume(returning: data)
      }
      task.resume()
    }
  }
}
