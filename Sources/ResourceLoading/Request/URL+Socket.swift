import Foundation

extension URL {
  /// The URL of the handshake if this is one of a WebSocket, with the scheme `ws` or `wss`; otherwise
  /// the same URL.
  var ofHandshake: URL {
    guard let scheme = ["ws": "http", "wss": "https"][self.scheme?.lowercased() ?? ""],
      var parts = URLComponents(url: self, resolvingAgainstBaseURL: true)
    else { return self }
    parts.scheme = scheme
    return parts.url ?? self
  }
}
