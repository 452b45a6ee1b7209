package import Foundation
package import ResourceCache
package import ResourceLoading

/// Requests and responses for tests. Dates are in seconds since `start`.
package enum CacheExchange {
  package static let url = URL(string: "https://example.org/a")!
  package static let start = Date(timeIntervalSince1970: 1_700_000_000)

  package static func date(_ seconds: Int) -> Date {
    start.addingTimeInterval(TimeInterval(seconds))
  }

  package static func httpDate(_ seconds: Int) -> String { HTTPDate(date(seconds)).description }

  package static func request(_ headers: Headers = [:], _ method: Request.Method = .get) -> Request
  {
    Request(method, url: url, headers: headers)
  }

  package static func response(_ headers: Headers = [:], _ status: Status = .ok) -> Response {
    Response(url: url, status: status, headers: headers, body: Data("body".utf8))
  }

  /// A response that was asked for and arrived at the start, as old as its headers say.
  package static func stored(
    _ headers: Headers = [:], _ status: Status = .ok, to request: Request? = nil, asked: Int = 0,
    arrived: Int = 0
  ) -> StoredResponse {
    let request = request ?? self.request()
    let partition = CachePartition(
      headers: request.headers, secretNames: request.options.secretNames)
    return StoredResponse(
      response(headers, status), to: request, under: CacheKey(url: url, partition: partition),
      requestDate: date(asked), responseDate: date(arrived))
  }

  /// The same response with another body.
  package static func stored(
    _ headers: Headers, body: Data, selecting: Headers = [:], asked: Date = start,
    wasRedirected: Bool = false
  ) -> StoredResponse {
    StoredResponse(
      Response(url: url, headers: headers, body: body), selectingHeaders: selecting,
      requestDate: asked, responseDate: start, wasRedirected: wasRedirected)
  }
}
