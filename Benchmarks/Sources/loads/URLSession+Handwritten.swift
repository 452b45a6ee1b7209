import Foundation
import FoundationNetworking

extension URLSession {
  /// Each side of a row has a session of its own, configured alike.
  static func makeBare() -> URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    return URLSession(configuration: configuration)
  }

  /// What one writes without a library: the least that doesn't take an error page for an answer.
  func decode<Value: Decodable & Sendable>(
    _ url: URL, with decoder: JSONDecoder,
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
          return try decoder.decode(Value.self, from: data)
        })
    }
    task.resume()
  }

  /// The same, awaited.
  func decode<Value: Decodable & Sendable>(
    _ url: URL, with decoder: JSONDecoder
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      decode(url, with: decoder) { continuation.resume(with: $0) }
    }
  }
}
