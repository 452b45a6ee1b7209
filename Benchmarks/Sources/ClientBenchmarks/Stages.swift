import Foundation
import FoundationNetworking
import Handwritten
import Measuring
import ResourceLoading
import Rows

/// What the stages of a client add to the loads of a session, and what a session of its own saves.
func registerStages(of url: URL) {
  let resource = Resource<Document>(json: url)
  Row.middleware.registerAsync(.ours) { count in
    await run(count, inFlight: 1) { _ = try await StagedPeers.client.load(resource) }
  }
  Row.middleware.registerAsync(.sessionLoad) { count in
    await run(count, inFlight: 1) { _ = try await Peers.session.load(resource) }
  }
  Row.ownSession.registerAsync(.ours) { count in
    await run(count, inFlight: 1) { _ = try await Peers.sessionClient.load(resource) }
  }
  let decoder = JSONDecoder()
  Row.ownSession.registerAsync(.shared) { count in
    await run(count, inFlight: 1) {
      _ = try await URLSession.shared.decode(Document.self, at: url, with: decoder)
    }
  }
}

private enum StagedPeers {
  /// A client with what most are given, over a session like the one it is compared with.
  static let client = Client {
    $0.transport = URLSessionTransport(session: Peers.session)
    $0.middleware = [
      RetryMiddleware(), BearerAuthentication(token: "token"), CoalescingMiddleware(),
      LoggingMiddleware(.off),
    ]
  }
}
