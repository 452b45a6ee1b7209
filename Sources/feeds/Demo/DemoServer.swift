import Foundation
import ResourceLoading
import ResourceTesting

/// A server in this process with recorded feeds, to demonstrate the program without a network.
struct DemoServer {
  private let server: LoopbackServer

  /// Starts the server on a free port of the loopback interface.
  ///
  /// - Throws: `LoopbackError` if the system gives no socket.
  init() throws {
    server = try LoopbackServer {
      LoopbackRoute("GET /index.json") { _ in .json(DemoDocuments.index) }
      LoopbackRoute("GET /notice.txt") { _ in
        .response(
          headers: ["Content-Type": "text/plain; charset=utf-8"], body: DemoDocuments.notice)
      }
      Self.feeds
      LoopbackRoute(
        "GET /feeds/*", [.delay(.milliseconds(250)), .json(DemoDocuments.missing, status: 404)])
    }
  }

  /// The URL of the list of feeds.
  var index: URL { RecordedFeeds.published(server.url("/index.json")) }

  /// The middleware that sends requests to the server.
  var middleware: [any Middleware] { [RecordedFeeds(server: server.url())] }

  /// The requests that the server received, in order.
  var requests: [ReceivedRequest] { server.requests }

  /// Stops the server.
  func stop() { server.stop() }

  /// The feeds take different times, as real ones do, so that progress can be seen.
  private static var feeds: [LoopbackRoute] {
    DemoDocuments.feeds.enumerated().map { index, document in
      LoopbackRoute("GET /feeds/\(document.name)") { _ in
        [
          .delay(.milliseconds(60 + index * 110 % 400)),
          .response(headers: ["Content-Type": document.mediaType], body: document.body),
        ]
      }
    }
  }
}

/// Sends requests for the host of the recorded feeds to the server in this process.
///
/// The server's port differs from run to run. With a host of their own the feeds have stable URLs and can be kept like
/// others. Nobody else can have the host (RFC 2606 section 3).
struct RecordedFeeds: Middleware {
  /// The URL of the server.
  let server: URL

  private static let host = "recorded.example"

  /// Returns whether a URL is one of a recorded feed.
  static func has(_ url: URL) -> Bool { url.host() == host }

  /// Returns the public URL for one of the server.
  static func published(_ url: URL) -> URL { url.moved(to: host, port: nil) }

  /// Sends the request to the server in this process if it is for the recorded feeds.
  ///
  /// - Throws: What the next middleware or the transport throws.
  func respond(to request: Request, next: Next) async throws -> Response {
    guard case .url(let url) = request.address, Self.has(url) else {
      return try await next(request)
    }
    var request = request
    request.address = .url(url.moved(to: server.host(), port: server.port))
    var response = try await next(request)
    response.url = Self.published(response.url)
    return response
  }
}

extension URL {
  fileprivate func moved(to host: String?, port: Int?) -> URL {
    var parts = URLComponents(url: self, resolvingAgainstBaseURL: true)
    parts?.host = host
    parts?.port = port
    return parts?.url ?? self
  }
}
