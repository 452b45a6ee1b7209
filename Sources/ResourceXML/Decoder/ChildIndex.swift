/// The child elements and the attributes of an element, sorted by name. Finding a key in a large
/// element then takes a binary search instead of a scan.
///
/// Each way in which a key can match has its own order, because thousands of names may share a
/// local name or a namespace.
final class ChildIndex {
  /// Elements with fewer nodes are scanned.
  static let worthwhile = 128

  private let attributes: NamedNodes
  private let elements: NamedNodes

  init(of node: Int, in session: DecodingSession) {
    var (attributes, elements) = ([Int](), [Int]())
    var i = node + 1
    while i < Int(session.nodes[node].end) {
      let child = session.nodes[i]
      if child.isElement {
        elements.append(i)
      } else if child.isAttribute {
        attributes.append(i)
      }
      i = Int(child.end)
    }
    self.attributes = NamedNodes(attributes)
    self.elements = NamedNodes(elements)
  }

  func element(_ match: NameMatch, in session: DecodingSession) -> Int? {
    elements.first(match, in: session)
  }

  func attribute(_ match: NameMatch, in session: DecodingSession) -> Int? {
    attributes.first(match, in: session)
  }

  func elements(_ match: NameMatch, in session: DecodingSession) -> ArraySlice<Int> {
    elements.all(match, in: session)
  }
}

/// Nodes, sorted by each part of their names that has been looked up.
private final class NamedNodes {
  private let nodes: [Int]
  private var orders: [Part: Order] = [:]

  /// The part of a name that is compared.
  private enum Part { case qualified, local, expanded }

  /// Nodes sorted by a part of their names, and in document order among equal ones.
  private struct Order {
    var keys: [UInt64] = []
    var nodes: [Int] = []
  }

  init(_ nodes: [Int]) { self.nodes = nodes }
}

extension NamedNodes {
  /// Returns the first node with exactly the name of a key, or else the first with its local name.
  func first(_ match: NameMatch, in session: DecodingSession) -> Int? {
    if match.isExpanded { return all(match, in: session).first }
    if let exact = all(UInt64(match.name), .qualified, in: session).first { return exact }
    return match.isExact ? nil : all(UInt64(match.name), .local, in: session).first
  }

  /// Returns all nodes that a key matches, in document order.
  func all(_ match: NameMatch, in session: DecodingSession) -> ArraySlice<Int> {
    if match.isExpanded {
      let uri = match.uri ?? NameMatch.nothing
      return all(UInt64(uri) << 32 | UInt64(match.name), .expanded, in: session)
    }
    return all(UInt64(match.name), match.isExact ? .qualified : .local, in: session)
  }

  private func all(_ key: UInt64, _ part: Part, in session: DecodingSession) -> ArraySlice<Int> {
    let order = order(by: part, in: session)
    let start = order.keys.firstSorted { $0 >= key }
    return order.nodes[start..<max(start, order.keys.firstSorted { $0 > key })]
  }

  private func order(by part: Part, in session: DecodingSession) -> Order {
    if let known = orders[part] { return known }
    let pairs = nodes.map { (key: key(of: $0, part, in: session), node: $0) }
      .sorted { ($0.key, $0.node) < ($1.key, $1.node) }
    let order = Order(keys: pairs.map(\.key), nodes: pairs.map(\.node))
    orders[part] = order
    return order
  }

  private func key(of node: Int, _ part: Part, in session: DecodingSession) -> UInt64 {
    let name = Int(session.nodes[node].name)
    switch part {
    case .qualified: return UInt64(session.qualified[name])
    case .local: return UInt64(session.local[name])
    case .expanded:
      let uri = session.storage.names.expanded[name].uri
      return UInt64(uri) << 32 | UInt64(session.local[name])
    }
  }
}

extension [UInt64] {
  /// Returns the first index of an ascending array whose element is beyond a limit.
  fileprivate func firstSorted(where isBeyond: (UInt64) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isBeyond(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
