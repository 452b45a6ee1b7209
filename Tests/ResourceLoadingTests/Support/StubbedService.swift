import Foundation
import ResourceLoading
import ResourceTesting
import Testing

/// Clients of a stubbed service, with a manual clock and a log of their events.
struct StubbedService {
  let transport = StubTransport()
  let events = EventLog()
  let clock = ManualClock()

  /// A client whose base URL is that of the service.
  func client(_ middleware: any Middleware..., timeout: Duration? = nil) throws -> Client {
    let url = try #require(URL(string: "https://api.example.org"))
    return Client(baseURL: url) {
      $0.transport = transport
      $0.middleware = middleware
      $0.observer = events.note
      $0.clock = clock
      $0.options.timeout = timeout
    }
  }

  /// A URL of another host.
  func other() throws -> Resource<String> {
    .text(try #require(URL(string: "https://other.example.org/")))
  }
}
