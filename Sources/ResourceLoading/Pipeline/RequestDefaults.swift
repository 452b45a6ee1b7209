import Foundation
import ResourcePrimitives

/// The defaults of a client's requests: the base URL, headers, query, options and the encoder of
/// JSON.
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
  /// Default query items and headers are for the base URL's origin: a request of an absolute URL
  /// elsewhere gets only those headers that may be sent to other origins.
  func complete(_ request: inout Request) throws {
    request.options = request.options.completed(by: options)
    if let encoder, let body = request.body { request.body = body.encoded(by: encoder) }
    if let baseURL {
      switch request.address {
      case .path(let path): request.address = .url(try path.appended(to: baseURL))
      case .url(let url) where !request.hasLeftOrigin:
        request.address = .url(url.completed(byUserInfoOf: baseURL))
      case .url: break
      }
    }
    let isSameOrigin = isSameOrigin(request)
    let own = request.headers
    for field in headers where !own.hasExplicit(field.name) {
      let mayGo =
        isSameOrigin || field.name.isForAllOrigins(with: request.options.crossOriginHeaders)
      // A default media type is only for a body that has none itself.
      let fits = field.name != .contentType || request.body.map { $0.mediaType == nil } ?? false
      if mayGo, fits { request.headers.append(field.name, field.value) }
    }
    request.headers.removeOverruled()
    if isSameOrigin { addItems(to: &request) }
  }

  /// Adds the client's query items, and its parameters to a form or to the query.
  private func addItems(to request: inout Request) {
    request.addQuery(query)
    guard !parameters.items.isEmpty else { return }
    if let form = request.body?.completed(by: parameters) {
      request.body = form
    } else {
      request.addQuery(parameters)
    }
  }

  /// Returns whether a request goes to the base URL's origin, which without a base URL is that of
  /// any request. It doesn't once another origin may have chosen where it goes.
  func isSameOrigin(_ request: Request) -> Bool {
    guard !request.hasLeftOrigin else { return false }
    guard let baseURL, case .url(let url) = request.address else { return true }
    return url.isSameOrigin(as: baseURL)
  }
}

extension Request {
  /// Appends the query items whose names neither the request nor its URL has.
  fileprivate mutating func addQuery(_ defaults: QueryItems) {
    guard !defaults.items.isEmpty else { return }
    let given = URLComponents(url: url, resolvingAgainstBaseURL: true)?.queryItems ?? []
    query.items += defaults.items(besides: given.map(\.name))
  }
}
