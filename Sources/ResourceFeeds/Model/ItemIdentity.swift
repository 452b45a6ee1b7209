internal import Foundation
internal import ResourcePrimitives

extension Feed {
  /// Distinguishes an item from others of its feed. It is the same on every reading.
  ///
  /// It is the id from the feed: RSS's `guid`, or the `id` of Atom and JSON Feed. Without an id it
  /// is the link, unless another item of the document has the same link, as in podcasts that link
  /// every episode to one page. Otherwise it is a digest of the title, the date and the text.
  public struct ItemIdentity: RawRepresentable, Hashable, Sendable {
    /// The identity as text, for a key in a database.
    public let rawValue: String

    /// Creates an identity from stored text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Whether items of any two feeds with this identity are the same, because it is a URI. Many
    /// feeds use numbers and similar ids.
    public var isGlobal: Bool {
      guard let colon = rawValue.firstIndex(of: ":") else { return false }
      let scheme = rawValue[..<colon]
      return scheme.count > 1 && scheme.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
    }
  }

  /// The items with their identities, each once, in the order of the document.
  ///
  /// A reader uses the identities to recognise items that it has seen before.
  public var identifiedItems: [(identity: ItemIdentity, item: Item)] {
    let links = items.filter { $0.id == nil }.compactMap(\.link)
    let uses = links.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    var known: Set<ItemIdentity> = []
    return items.compactMap { item in
      let link = item.link.flatMap { uses[$0] == 1 ? $0.absoluteString : nil }
      let identity = ItemIdentity(rawValue: item.id ?? link ?? item.digest)
      return known.insert(identity).inserted ? (identity, item) : nil
    }
  }
}

extension Feed.Item {
  fileprivate var digest: String {
    let date = date.map { "\($0.timeIntervalSince1970)" }
    let parts = [link?.absoluteString, title, date, (summary ?? content)?.value]
    let text = parts.map { $0 ?? "" }.joined(separator: "\u{0}")
    return "digest-" + SecureHash.hexadecimal(SecureHash.sha256(text.utf8))
  }
}
