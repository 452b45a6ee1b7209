import Foundation
import Logging
import Metrics
import ResourceLoading

/// The sample of the article "In a service", with the packages that it is about.
func makeMeasuredClient(_ url: URL, _ logger: Logger) -> Client {
  let client = Client(baseURL: url) {
    $0.middleware = [LoggingMiddleware { entry in logger.info("\(entry)") }]
    $0.observer = { event in
      switch event.kind {
      case .completed(let status, _):
        Counter(label: "http_responses", dimensions: [("status", "\(status.rawValue)")]).increment()
      case .parsed, .failed:
        let seconds = event.elapsed / .seconds(1)
        Recorder(label: "http_load_seconds").record(seconds)
      default: break
      }
    }
  }
  return client
}
