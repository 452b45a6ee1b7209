import Foundation
import FoundationNetworking
import Handwritten
import Measuring
import NIOFoundationCompat
import ResourceLoading
import Rows

/// The same loads by everybody, one at a time and many at once.
func registerLoads(of url: URL) {
  for (row, width) in [(Row.data1, 1), (.data8, 8), (.data64, 64)] {
    for (subject, load) in dataLoads(of: url) {
      row.registerAsync(subject) { count in await run(count, inFlight: width, load) }
    }
  }
  for (row, width) in [(Row.json1, 1), (.json8, 8), (.json64, 64)] {
    for (subject, load) in documentLoads(of: url) {
      row.registerAsync(subject) { count in await run(count, inFlight: width, load) }
    }
  }
}

/// Documents of 1 MB, of which decoding is most.
func registerLargeLoads(of url: URL) {
  for (subject, load) in documentLoads(of: url, items: 14_000)
  where [.curlClient, .asyncHTTPClient].contains(subject) {
    Row.jsonLarge.registerAsync(subject) { count in await run(count, inFlight: 8, load) }
  }
}

/// All at once, and no error.
func registerBurst(of url: URL) {
  for (subject, load) in dataLoads(of: url) where subject != .dataTask {
    Row.data1000.registerAsync(subject) { count in await run(count, inFlight: count, load) }
  }
}

private typealias Load = @Sendable () async throws -> Void

/// The body as `Data`.
private func dataLoads(of url: URL) -> [(Subject, Load)] {
  let resource = Resource.data(url)
  let address = url.absoluteString
  return [
    (.curlClient, { check(try await Peers.curlClient.load(resource)) }),
    (.sessionClient, { check(try await Peers.sessionClient.load(resource)) }),
    (.sessionLoad, { check(try await Peers.session.load(resource)) }),
    (.dataTask, { check(try await Peers.session.bytes(of: url)) }),
    (
      .asyncHTTPClient,
      { check(Data(buffer: try await Peers.asyncHTTPClient.bytes(of: address))) }
    ),
  ]
}

private func check(_ data: Data) { precondition(data.count == 1_024) }

/// The body decoded.
private func documentLoads(of url: URL, items: Int = 12) -> [(Subject, Load)] {
  let resource = Resource<Document>(json: url)
  let address = url.absoluteString
  let decoder = JSONDecoder()
  @Sendable func check(_ document: Document) { precondition(document.items.count == items) }
  return [
    (.curlClient, { check(try await Peers.curlClient.load(resource)) }),
    (.sessionClient, { check(try await Peers.sessionClient.load(resource)) }),
    (.sessionLoad, { check(try await Peers.session.load(resource)) }),
    (
      .dataTask,
      { check(try await Peers.session.decode(Document.self, at: url, with: decoder)) }
    ),
    (
      .asyncHTTPClient,
      {
        let body = try await Peers.asyncHTTPClient.bytes(of: address)
        check(try decoder.decode(Document.self, from: body))
      }
    ),
  ]
}
