import Foundation
import ResourceLoading
import ResourceTesting
import Synchronization

/// Sends requests for the recorded feeds to a server in this process, to demonstrate the program
/// without a network.
///
/// The server's port differs from run to run. With a host of their own the feeds have stable URLs
/// and can be kept like others. Nobody else can have the host (RFC 2606 section 3).
final class RecordedFeeds: Middleware {
  /// Started for the first request, and stopped with this.
  private let server = Mutex<LoopbackServer?>(nil)

  private static let host = "recorded.example"

  /// The base of the path `/index.json`, whose document is an array of the feeds' URLs.
  static let baseURL = URL(string: "http://\(host)")

  /// Sends the request to the server in this process if it is for the recorded feeds.
  func respond(to request: Request, next: Next) async throws -> Response {
    guard case .url(let url) = request.address, url.host() == Self.host else {
      return try await next(request)
    }
    let server = try startedServer()
    var request = request
    request.address = .url(url.moved(to: server.host, port: server.port))
    var response = try await next(request)
    response.url = response.url.moved(to: Self.host, port: nil)
    return response
  }

  private func startedServer() throws -> LoopbackServer {
    try server.withLock { server in
      let started = try server ?? LoopbackServer { Self.routes }
      server = started
      return started
    }
  }

  /// The feeds take different times, as real ones do, so that progress can be seen.
  @LoopbackRouteBuilder
  private static var routes: [LoopbackRoute] {
    LoopbackRoute("GET /index.json") { _ in .json(DemoDocuments.index) }
    for (index, document) in DemoDocuments.feeds.enumerated() {
      LoopbackRoute(
        "GET /\(document.name)",
        [
          .delay(.milliseconds(60 + index * 110 % 400)),
          .response(headers: ["Content-Type": document.mediaType], body: document.body),
        ])
    }
    LoopbackRoute(
      "GET /*", [.delay(.milliseconds(250)), .json(DemoDocuments.missing, status: 404)])
  }
}

extension URL {
  fileprivate func moved(to host: String, port: Int?) -> URL {
    var parts = URLComponents(url: self, resolvingAgainstBaseURL: true)
    parts?.host = host
    parts?.port = port
    return parts?.url ?? self
  }
}
