import Foundation
import ResourceLoading
import ResourceTesting

/// A server in this process with recorded feeds, so that the program shows what it does without a network.
struct DemoServer {
  private let server: LoopbackServer

  /// Starts it on a free port of the loopback interface.
  ///
  /// - Throws: `LoopbackError` if the system gives no socket.
  init() throws {
    server = try LoopbackServer {
      Route("GET /index.json") { _ in .json(DemoDocuments.index) }
      Route("GET /notice.txt") { _ in
        .response(
          headers: ["Content-Type": "text/plain; charset=utf-8"], body: DemoDocuments.notice)
      }
      Self.feeds
      Route(
        "GET /feeds/*", [.delay(.milliseconds(250)), .json(DemoDocuments.missing, status: 404)])
    }
  }

  /// Where the list of the feeds is.
  var index: URL { RecordedFeeds.published(server.url("/index.json")) }

  /// What leads to it.
  var middleware: [any Middleware] { [RecordedFeeds(server: server.url())] }

  /// What was asked of it, in order.
  var requests: [ReceivedRequest] { server.requests }

  /// Ends it.
  func stop() { server.stop() }

  /// The feeds take different times, as real ones do, so that there is progress to be seen.
  private static var feeds: [Route] {
    DemoDocuments.feeds.enumerated().map { index, document in
      Route("GET /feeds/\(document.name)") { _ in
        [
          .delay(.milliseconds(60 + index * 110 % 400)),
          .response(headers: ["Content-Type": document.mediaType], body: document.body),
        ]
      }
    }
  }
}
