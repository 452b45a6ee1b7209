import Foundation
import ResourceLoading

/// Identifies a live resource: its request, and the type of its value.
///
/// Every live resource keeps one, so it is small: a whole request takes 400 bytes, and most have
/// neither a body nor options.
final class LiveKey: Hashable, Sendable {
  private let type: ObjectIdentifier
  private let method: Request.Method
  private let address: Request.Address
  private let template: PathTemplate
  private let query: QueryItems
  private let headers: Headers
  /// The whole request, if it has a body, a destination or options.
  private let unusual: Unusual?

  private static let plainOptions = Request.Options()

  private final class Unusual: Sendable {
    let request: Request

    init(_ request: Request) { self.request = request }
  }

  init<R>(_ resource: Resource<R>) {
    let request = resource.request
    type = ObjectIdentifier(R.self)
    (method, address, template) = (request.method, request.address, request.template)
    (query, headers) = (request.query, request.headers)
    let isPlain =
      request.body == nil && request.destination == .memory && request.options == Self.plainOptions
    unusual = isPlain ? nil : Unusual(request)
  }

  static func == (one: LiveKey, other: LiveKey) -> Bool {
    one === other
      || (one.type == other.type && one.method == other.method && one.address == other.address
        && one.query == other.query && one.headers == other.headers
        && one.unusual?.request == other.unusual?.request)
  }

  func hash(into hasher: inout Hasher) {
    // These distinguish requests in practice. Equality compares the rest.
    hasher.combine(address)
    hasher.combine(query)
    hasher.combine(type)
  }

  /// The request.
  var request: Request {
    unusual?.request
      ?? Request(method, to: address, as: template, query: query, headers: headers, body: nil)
  }
}

extension LiveKey: CustomReflectable {
  /// Shows the request without secrets.
  var customMirror: Mirror { Mirror(self, children: ["request": "\(request)"]) }
}

extension LiveKey {
  /// The path without the query, percent-encoded, with a leading slash.
  var path: String {
    switch address {
    case .path(let path): path.encoded.withLeadingSlash
    case .url(let url): url.path(percentEncoded: true).withLeadingSlash
    }
  }

  /// Returns whether the path is equal to another one or below it, segment by segment.
  func isBelow(_ prefix: String) -> Bool {
    let path = path
    guard path.hasPrefix(prefix) else { return false }
    return path.count == prefix.count || prefix.hasSuffix("/")
      || path.dropFirst(prefix.count).hasPrefix("/")
  }
}

extension String {
  var withLeadingSlash: String { hasPrefix("/") ? self : "/" + self }
}
