import Foundation
import FoundationNetworking
import Handwritten
import Measuring
import ResourceLoading
import Rows

/// 500 small loads in half a second, alone and while a document of 20 MB is being decoded.
func registerMixed(from server: URL) {
  register(Row.mixedSession, from: server) { Peers.sessionClient }
  register(Row.mixedCurl, from: server) { Peers.curlClient }
  let (small, large) = (server.appending(path: "items"), server.appending(path: "catalogue"))
  let decoder = JSONDecoder()
  Row.mixedSession.registerTail(.inHandler) {
    await tail(
      { _ = try await Peers.session.decode(Document.self, at: small, with: decoder) },
      beside: { begun in
        _ = try await Peers.session.decode(
          Document.self, at: large, with: decoder, willDecode: begun)
      })
  }
}

private func register(
  _ row: Row, from server: URL, _ client: @escaping @Sendable () -> Client
) {
  let small = Resource<Document>(json: server.appending(path: "items"))
  let large = Resource<Document>(json: server.appending(path: "catalogue"))
  row.registerTail(.alone) {
    await Latencies.tail(of: 500) { _ = try await client().load(small) }
  }
  row.registerTail(.ours) {
    await tail(
      { _ = try await client().load(small) },
      beside: { begun in
        _ = try await client().load(large.onProgress { if $0.completed == $0.total { begun() } })
      })
  }
}

/// The tail of small loads from when the large document is there and its decoding begins.
private func tail(
  _ small: @escaping @Sendable () async throws -> Void,
  beside large: @escaping @Sendable (_ begun: @escaping @Sendable () -> Void) async throws -> Void
) async -> Int {
  let (begins, beginning) = AsyncStream<Void>.makeStream()
  async let decoding: Void = certainly { try await large { beginning.finish() } }
  for await _ in begins {}
  let tail = await Latencies.tail(of: 500, small)
  await decoding
  return tail
}
