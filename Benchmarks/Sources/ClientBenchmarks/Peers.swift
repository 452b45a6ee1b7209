import AsyncHTTPClient
import Foundation
import FoundationNetworking
import Handwritten
import NIOCore
import NIOFoundationCompat
import ResourceLoading

/// Who loads; each is made when it is used first.
enum Peers {
  static let curlClient = Client()
  static let sessionClient = Client { $0.transport = URLSessionTransport() }
  static let session = URLSession.makeBare()
  static let asyncHTTPClient = HTTPClient(eventLoopGroupProvider: .singleton)
}

extension HTTPClient {
  /// The whole body of an answer that isn't an error.
  func bytes(of url: String) async throws -> ByteBuffer {
    let response = try await execute(HTTPClientRequest(url: url), timeout: .seconds(30))
    guard response.status == .ok else { throw URLError(.badServerResponse) }
    return try await response.body.collect(upTo: 2 << 20)
  }
}
