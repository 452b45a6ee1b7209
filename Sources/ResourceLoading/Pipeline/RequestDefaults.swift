import Foundation

/// The defaults of a client's requests: the base URL, headers, query, options and the encoder of JSON.
struct RequestDefaults: Sendable {
  var baseURL: URL?
  var headers = Headers()
  var query = QueryItems()
  var parameters = QueryItems()
  var options = Request.Options()
  var encoder: JSONEncoder?
}

extension RequestDefaults {
  /// Completes a request, whose own values override the defaults.
  ///
  /// Default query items and headers are for the base URL's origin: a request of an absolute URL elsewhere gets only those
  /// headers that may be sent to other origins.
  ///
  /// - Throws: `LoadError` of kind `invalidRequest` if the base URL isn't absolute.
  func complete(_ request: inout Request) throws {
    request.options = request.options.completed(by: options)
    if let encoder, let body = request.body { request.body = body.encoded(by: encoder) }
    if case .path(let path) = request.address, let baseURL {
      request.address = .url(try path.appended(to: baseURL))
    }
    let isSameOrigin = isSameOrigin(request)
    let own = request.headers
    for field in headers where !own.says(field.name) {
      guard isSameOrigin || field.name.isForAllOrigins(with: request.options.crossOriginHeaders)
      else {
        continue
      }
      // A default media type is only for a body that has none itself.
      guard field.name != .contentType || request.body.map({ $0.mediaType == nil }) ?? false else {
        continue
      }
      request.headers.append(field.name, field.value)
    }
    request.headers.removeOverruled()
    if isSameOrigin { addItems(to: &request) }
  }

  /// Adds the client's query items, and its parameters to a form or to the query.
  private func addItems(to request: inout Request) {
    if !query.items.isEmpty {
      request.query = request.query.completed(by: query, in: request.url)
    }
    guard !parameters.items.isEmpty else { return }
    if let form = request.body?.completed(by: parameters) {
      request.body = form
    } else {
      request.query = request.query.completed(by: parameters, in: request.url)
    }
  }

  /// Returns whether a request goes to the base URL's origin; `true` if there is no base URL.
  func isSameOrigin(_ request: Request) -> Bool {
    guard let baseURL, case .url(let url) = request.address else { return true }
    return url.isSameOrigin(as: baseURL)
  }
}

extension QueryItems {
  /// Returns this query, followed by the defaults for names that neither it nor the URL has.
  fileprivate func completed(by defaults: QueryItems, in url: URL) -> QueryItems {
    let given = URLComponents(url: url, resolvingAgainstBaseURL: true)?.queryItems ?? []
    let names = Set(given.map(\.name))
    var completed = self
    completed.items += defaults.items.filter { !names.contains($0.name) }
    return completed
  }
}
