import Foundation
import ResourceLoading

/// Leads what is asked of the recorded feeds' host to the server in this process.
///
/// The server's port is another one on every run; under a host of their own the feeds keep their URLs, and so
/// they can be kept like others. Nobody else can have the host (RFC 2606 section 3).
struct RecordedFeeds: Middleware {
  /// Where the server is.
  let server: URL

  private static let host = "recorded.example"

  /// Whether a URL is one of a recorded feed.
  static func has(_ url: URL) -> Bool { url.host() == host }

  /// The URL under which the outside knows one of the server.
  static func published(_ url: URL) -> URL { url.moved(to: host, port: nil) }

  /// Sends the request on: to the server in this process, if it is for the recorded feeds.
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
