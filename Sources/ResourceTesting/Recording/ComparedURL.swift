import Foundation
import ResourceLoading
import ResourcePrimitives

struct ComparedRequest: Sendable {
  let request: HTTPArchive.Request
  let url: ComparedURL

  init(_ request: HTTPArchive.Request) {
    (self.request, url) = (request, ComparedURL(request.url))
  }
}

struct ComparedURL: Sendable {
  /// Scheme, host and port, in lower case and without a default port.
  let origin: String
  /// Everything after the origin, beginning with a slash.
  let target: String
  private let path: String
  private let query: [Substring]
  /// The parts of the path, without escapes.
  let segments: [String]
  /// The items of the query in the order of their names, without escapes.
  let items: [String]

  init(_ text: String) {
    let bare = text.cut(at: "#")?.before ?? text[...]
    let (target, query) = bare.cut(at: "?") ?? (bare, "")
    // A request that a server received has only a path, which may contain another URL.
    let (scheme, rest) =
      target.begins(with: "/")
      ? ("", target)
      : target.cut(atText: "://").map { ($0.before.lowercased(), $0.behind) } ?? ("", target)
    let authority = rest.unicodeScalars.prefix { $0 != "/" }
    let host = String(authority).lowercased()
    let isDefault = ["http": ":80", "https": ":443"][scheme].map { host.hasSuffix($0) } ?? false
    let port = isDefault ? (scheme == "http" ? 3 : 4) : 0
    origin = "\(scheme)://\(host.dropLast(port))"
    let behind = text[authority.endIndex...]
    self.target = behind.begins(with: "/") ? String(behind) : "/" + behind
    let path = String(rest.unicodeScalars.dropFirst(authority.count))
    self.path = path.isEmpty ? "/" : path
    segments = self.path.parts(between: "/", omittingEmpty: false).map { Self.plain($0) }
    // Items with the same name keep their order.
    self.query = query.parts(between: "&").sorted { one, other in
      (one.cut(at: "=")?.before ?? one) < (other.cut(at: "=")?.before ?? other)
    }
    items = self.query.map { Self.plain($0) }
  }

  /// Whether a URL matches this recorded one, apart from the origin.
  func fits(_ url: ComparedURL) -> Bool {
    segments.count == url.segments.count && items.count == url.items.count
      && zip(segments, url.segments).allSatisfy { StandIn.fits($0, $1) }
      && zip(items, url.items).allSatisfy { StandIn.fits($0, $1) }
  }

  /// - Returns: A description of what differs apart from the origin; `nil` if nothing does.
  func difference(from recorded: ComparedURL) -> String? {
    guard segments.count == recorded.segments.count,
      zip(recorded.segments, segments).allSatisfy({ StandIn.fits($0, $1) })
    else {
      return "the path is \(Self.shown(path)), recorded \(Self.shown(recorded.path))"
    }
    for (item, recorded) in zip(query, recorded.query)
    where !StandIn.fits(Self.plain(recorded), Self.plain(item)) {
      return "the query has \(Self.shown(item)), recorded \(Self.shown(recorded))"
    }
    if let extra = query.dropFirst(recorded.query.count).first {
      return "the query has \(Self.shown(extra)), which wasn't recorded"
    }
    return recorded.query.dropFirst(query.count).first.map {
      "the query lacks \(Self.shown($0)), which was recorded"
    }
  }

  private static func plain(_ part: some StringProtocol) -> String {
    part.percentDecoded ?? String(part)
  }

  private static func shown(_ text: some StringProtocol) -> String {
    "\"\(SecretText.redact(String(text)).printable)\""
  }
}
