import CSimulation
import Foundation
import ResourceLoading

/// A server that has a list beside its documents, of which it sends a page at a time.
final class ListServer: Server, @unchecked Sendable {
  struct Item: Codable, Identifiable, Equatable, Sendable {
    var id: Int
    var version: Int
  }

  static let path = "/list"
  static let pageLength = 4

  private(set) var list = (0..<10).map { Item(id: $0, version: 0) }

  /// Changes all items, and adds or removes some.
  func changeList() {
    let version = (list.first?.version ?? 0) + 1
    list = (0..<(1 + pick(14))).map { Item(id: $0, version: version) }
    world.note("the server changes its list to \(list.count) items of version \(version)")
  }

  /// Changes all items, as a user's write does. It may be done twice.
  private func bump() {
    list = list.map { Item(id: $0.id, version: $0.version + 1) }
    world.note("the server writes \(list.count) items of version \(list.first?.version ?? 0)")
  }

  override func own(
    _ request: WireRequest, _ path: String, _ number: Int, _ headers: Headers
  ) -> (ResponseHead, Data)? {
    guard path == Self.path else { return nil }
    if request.method == .put { bump() }
    let page = request.url.query().flatMap { Int($0.dropFirst("page=".count)) } ?? 1
    let items = list.dropFirst((page - 1) * Self.pageLength).prefix(Self.pageLength)
    var headers = headers
    headers[.cacheControl] = "max-age=\(maximumAge)"
    headers[.contentType] = "application/json"
    let body = (try? JSONEncoder().encode(Array(items))) ?? Data()
    return (ResponseHead(status: .ok, headers: headers), body)
  }
}
