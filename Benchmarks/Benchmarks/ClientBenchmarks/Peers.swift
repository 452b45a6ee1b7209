import AsyncHTTPClient
import Foundation
import FoundationNetworking
import NIOCore
import NIOFoundationCompat
import ResourceLoading

/// Who loads; each is made when it is used first, so that a row has only its own.
enum Peers {
  static let curlClient = Client()
  static let sessionClient = Client { $0.transport = URLSessionTransport() }
  static let session = makeBareSession()
  static let asyncHTTPClient = HTTPClient(eventLoopGroupProvider: .singleton)

  /// A session as one makes it that knows of the cache.
  static func makeBareSession() -> URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    return URLSession(configuration: configuration)
  }
}

extension URLSession {
  /// What one writes without a library: the least that doesn't take an error page for an answer.
  func bytes(of url: URL) async throws -> Data {
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

  /// The same, decoded where the bytes arrive.
  func decode<Value: Decodable & Sendable>(
    _ type: Value.Type, at url: URL, with decoder: JSONDecoder,
    willDecode: @escaping @Sendable () -> Void = {}
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      let task = dataTask(with: url) { data, response, error in
        continuation.resume(
          with: Result {
            guard let data, (response as? HTTPURLResponse)?.statusCode == 200 else {
              throw error ?? URLError(.badServerResponse)
            }
            willDecode()
            return try decoder.decode(Value.self, from: data)
          })
      }
      task.resume()
    }
  }
}

extension HTTPClient {
  /// The whole body of an answer that isn't an error.
  func bytes(of url: String) async throws -> ByteBuffer {
    let response = try await execute(HTTPClientRequest(url: url), timeout: .seconds(30))
    guard response.status == .ok else { throw URLError(.badServerResponse) }
    return try await response.body.collect(upTo: 1 << 20)
  }
}
