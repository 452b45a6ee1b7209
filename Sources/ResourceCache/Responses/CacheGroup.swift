public import Foundation
internal import ResourceLoading
internal import ResourcePrimitives

/// A group of stored responses that an origin invalidates together (RFC 9875).
///
/// A response names its groups in `Cache-Groups`, and the response to an unsafe request names the
/// groups to invalidate in `Cache-Group-Invalidation`.
public struct CacheGroup: Sendable, Hashable {
  /// The origin: scheme, host and port, in lower case.
  public let origin: String
  /// The name, which is compared byte by byte.
  public let name: String

  /// Creates a group.
  ///
  /// - Parameters:
  ///   - name: The name, as in the structured field.
  ///   - url: An absolute URL of the origin.
  public init(_ name: String, of url: URL) {
    origin = url.origin.description
    self.name = name
  }
}

extension CacheGroup {
  /// The maximum number of groups in a response; further ones are ignored. The standard asks for at
  /// least 32.
  static let limit = 512

  /// The text of which databases store a keyed hash.
  package var text: String { "group \(origin) \(name)" }
}

extension CacheGroup: CustomReflectable {
  /// Shows the origin, and the name without secrets.
  public var customMirror: Mirror {
    Mirror(self, children: ["origin": origin, "name": SecretText.redact(name).printable])
  }
}

extension StructuredField.BareItem {
  fileprivate var text: String? { if case .string(let text) = self { text } else { nil } }
}

extension Headers {
  /// The groups to which a response of a URL belongs (RFC 9875 section 2).
  func groups(of url: URL) -> Set<CacheGroup> { groups(in: "Cache-Groups", of: url) }

  /// The groups that the response of a URL to an unsafe request invalidates (RFC 9875 section 3).
  func invalidatedGroups(of url: URL) -> Set<CacheGroup> {
    groups(in: "Cache-Group-Invalidation", of: url)
  }

  /// Reads a list of strings, which is ignored if it contains anything else (RFC 9651 section 1.2).
  private func groups(in name: Name, of url: URL) -> Set<CacheGroup> {
    guard let members = list(name) else { return [] }
    let names = members.compactMap { $0.item?.value.text }
    guard names.count == members.count else { return [] }
    return Set(names.prefix(CacheGroup.limit).map { CacheGroup($0, of: url) })
  }
}
