import Foundation
import ResourceLoading

/// Identifies a live resource: its request, and the type of its value.
///
/// A class, because a request is large, and the register, the resource and its changes keep it.
final class LiveKey: Hashable, Sendable {
  let request: Request
  private let type: ObjectIdentifier

  init<R>(_ resource: Resource<R>) {
    request = resource.request
    type = ObjectIdentifier(R.self)
  }

  static func == (one: LiveKey, other: LiveKey) -> Bool {
    one === other || (one.type == other.type && one.request == other.request)
  }

  func hash(into hasher: inout Hasher) {
    // These distinguish requests in practice. Equality compares the rest.
    hasher.combine(request.address)
    hasher.combine(request.query)
    hasher.combine(type)
  }
}

extension LiveKey: CustomReflectable {
  /// Shows the request without secrets.
  var customMirror: Mirror { Mirror(self, children: ["request": "\(request)"]) }
}

extension LiveKey {
  /// The path without the query, percent-encoded, with a leading slash.
  var path: String {
    switch request.address {
    case .path(let path): path.encoded.withLeadingSlash
    case .url(let url): url.path(percentEncoded: true).withLeadingSlash
    }
  }
}

extension String {
  var withLeadingSlash: String { hasPrefix("/") ? self : "/" + self }
}
